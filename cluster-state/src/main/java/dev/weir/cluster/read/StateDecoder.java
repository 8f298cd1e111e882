package dev.weir.cluster.read;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Decodes the cluster state in a {@code ClusterStateResponse}. Parts that have the same bytes as in
 * the previous response are the same objects as in the previous state: metadata, the metadata and
 * routing of each index, nodes and blocks. Its memory is that of the newest response's bytes.
 * Confined to one thread.
 *
 * <p>The order of the wire is that of {@code ClusterState.readFrom} and {@code Metadata.readFrom}
 * in OpenSearch.
 */
public final class StateDecoder {
  private static final String NO_STATE = "got no cluster state (expected: one, without waiting)";

  private final ReusedParts<IndexMetadata> indices;
  private final ReusedParts<IndexRoutingTable> routing;
  private final ReusedPart<Map<String, IndexTemplateMetadata>> templates =
      new ReusedPart<>(StateDecoder::readTemplates);
  private final ReusedPart<Map<String, Metadata.Custom>> customs =
      new ReusedPart<>(StateDecoder::readCustoms);
  private final ReusedPart<DiscoveryNodes> nodes =
      new ReusedPart<>(in -> DiscoveryNodes.readFrom(in, null));
  private final ReusedPart<ClusterBlocks> blocks = new ReusedPart<>(ClusterBlocks::readFrom);
  private final MetadataBuilder metadata = new MetadataBuilder();

  /** Creates a decoder without a previous state. */
  public StateDecoder(StateReadCounts counts) {
    this.indices =
        new ReusedParts<>(IndexMetadata::readFrom, index -> index.getIndex().getName(), counts);
    this.routing =
        new ReusedParts<>(IndexRoutingTable::readFrom, table -> table.getIndex().getName(), counts);
  }

  /**
   * Reads a response with the whole state.
   *
   * @throws IOException if it has none, or a part that the gateway does not know
   */
  public ClusterState read(ResponseInput in) throws IOException {
    ClusterState.Builder state = readStateHeader(in);
    MetadataHeader header = MetadataHeader.readFrom(in.stream());
    state.metadata(
        metadata.build(
            new MetadataBuilder.MetadataParts(
                header, indices.read(in), templates.read(in), customs.read(in))));
    return readRouting(in, state);
  }

  /**
   * Reads a response with metadata alone, up to the first custom that the gateway does not know.
   *
   * @throws IOException if it has no state
   */
  public KnownMetadata readKnownMetadata(ResponseInput in) throws IOException {
    ClusterState state = readStateHeader(in).build();
    MetadataHeader header = MetadataHeader.readFrom(in.stream());
    BucketedMap<IndexMetadata> all = indices.read(in);
    Map<String, IndexTemplateMetadata> allTemplates = templates.read(in);
    Map<String, Metadata.Custom> known = new HashMap<>();
    Set<String> unknown = readKnownCustoms(in.stream(), known);
    return new KnownMetadata(
        state, new MetadataBuilder.MetadataParts(header, all, allTemplates, known), unknown);
  }

  /** Builds metadata, whose parts no longer change. */
  public Metadata build(KnownMetadata known) {
    return metadata.build(known.parts());
  }

  /**
   * Reads a response with routing, nodes and blocks, but without the metadata of indices.
   *
   * @throws IOException if it has no state
   */
  public ClusterState readWithoutMetadata(ResponseInput in) throws IOException {
    ClusterState.Builder state = readStateHeader(in);
    return readRouting(in, state.metadata(Metadata.readFrom(in.stream())));
  }

  /** Returns the entries of the routing table that was read last. */
  public BucketedMap<IndexRoutingTable> routing() {
    return routing.newest();
  }

  /**
   * Reads a response with parts of the state that are worth no reuse.
   *
   * @throws IOException if it has no state
   */
  public ClusterState readSmall(ResponseInput in) throws IOException {
    ClusterState state = new ClusterStateResponse(in.stream()).getState();
    if (state == null) {
      throw new IOException(NO_STATE);
    }
    return state;
  }

  private static ClusterState.Builder readStateHeader(ResponseInput in) throws IOException {
    StreamInput stream = in.stream();
    new ClusterName(stream); // of the response
    if (!stream.readBoolean()) {
      throw new IOException(NO_STATE);
    }
    return ClusterState.builder(new ClusterName(stream))
        .version(stream.readLong())
        .stateUUID(stream.readString());
  }

  private ClusterState readRouting(ResponseInput in, ClusterState.Builder state)
      throws IOException {
    StreamInput stream = in.stream();
    RoutingTable table = new RoutingTable(stream.readLong(), routing.read(in));
    state.routingTable(table).nodes(nodes.read(in)).blocks(blocks.read(in));
    for (int left = stream.readVInt(); left > 0; left--) {
      ClusterState.Custom custom = stream.readNamedWriteable(ClusterState.Custom.class);
      state.putCustom(custom.getWriteableName(), custom);
    }
    return state.minimumClusterManagerNodesOnPublishingClusterManager(stream.readVInt()).build();
  }

  private static Map<String, IndexTemplateMetadata> readTemplates(StreamInput in)
      throws IOException {
    Map<String, IndexTemplateMetadata> templates = new HashMap<>();
    for (int left = in.readVInt(); left > 0; left--) {
      IndexTemplateMetadata template = IndexTemplateMetadata.readFrom(in);
      templates.put(template.name(), template);
    }
    return templates;
  }

  private static Map<String, Metadata.Custom> readCustoms(StreamInput in) throws IOException {
    Map<String, Metadata.Custom> customs = new HashMap<>();
    for (int left = in.readVInt(); left > 0; left--) {
      Metadata.Custom custom = in.readNamedWriteable(Metadata.Custom.class);
      customs.put(custom.getWriteableName(), custom);
    }
    return customs;
  }

  private static Set<String> readKnownCustoms(StreamInput in, Map<String, Metadata.Custom> known)
      throws IOException {
    Set<String> unknown = new LinkedHashSet<>();
    int size = in.readVInt();
    while (known.size() < size) {
      String name = in.readString();
      try {
        known.put(name, in.readNamedWriteable(Metadata.Custom.class, name));
      } catch (IOException | RuntimeException unreadable) {
        unknown.add(name);
        break;
      }
    }
    return unknown;
  }
}
