package dev.weir.cluster.diff;

import dev.weir.cluster.read.BucketedMap;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.NamedDiff;
import org.opensearch.cluster.block.ClusterBlock;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.DiffableStringMap;
import org.opensearch.cluster.metadata.IncrementalMetadataBuilder;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Applies steps to states: decodes what changed and takes over everything else as the same objects.
 * The plugin's {@code StateStepWriter} shows the layout. Safe on any thread.
 */
public final class StateStepDecoder {
  private static final int METADATA = 1;
  private static final int ROUTING = 2;
  private static final int NODES = 4;
  private static final int BLOCKS = 8;

  private final NamedWriteableRegistry registry;

  /**
   * Creates a decoder.
   *
   * @param registry reads named parts
   */
  public StateStepDecoder(NamedWriteableRegistry registry) {
    this.registry = registry;
  }

  /**
   * Returns the state after a step; null if the step begins at another state.
   *
   * @throws IOException if the step has a part that this gateway does not know, or does not fit to
   *     the state; the state has to be read as a whole then
   */
  public @Nullable SteppedState apply(SteppedState before, BytesArray step) throws IOException {
    FrameStreamInput in = open(step, Version.CURRENT);
    Version version = Version.fromId(in.readInt());
    if (version.after(Version.CURRENT)) {
      throw new IOException(
          "got a step of version " + version + " (expected: at most " + Version.CURRENT + ")");
    }
    in.setVersion(version);
    if (!in.readString().equals(before.state().stateUUID())) {
      return null;
    }
    ClusterState.Builder state =
        ClusterState.builder(before.state()).stateUUID(in.readString()).version(in.readVLong());
    BucketedMap<IndexRoutingTable> routing = before.routing();
    int sections = in.readByte();
    if ((sections & METADATA) != 0) {
      state.metadata(readMetadata(in, before.state().metadata()));
    }
    if ((sections & ROUTING) != 0) {
      long routingVersion = in.readVLong();
      routing = readRouting(in, routing);
      state.routingTable(new RoutingTable(routingVersion, routing));
    }
    if ((sections & NODES) != 0) {
      state.nodes(DiscoveryNodes.readFrom(in, null));
    }
    if ((sections & BLOCKS) != 0) {
      state.blocks(readBlocks(in, before.state().blocks()));
    }
    if (in.available() > 0) {
      throw new IOException("got " + in.available() + " more bytes (expected: none)");
    }
    return new SteppedState(state.build(), routing);
  }

  private FrameStreamInput open(BytesArray bytes, Version version) {
    return new FrameStreamInput(bytes, version, registry, true);
  }

  private Metadata readMetadata(StreamInput in, Metadata before) throws IOException {
    Metadata.Builder metadata =
        new IncrementalMetadataBuilder(before)
            .version(in.readVLong())
            .clusterUUID(in.readString())
            .clusterUUIDCommitted(in.readBoolean())
            .coordinationMetadata(new CoordinationMetadata(in));
    if (in.readBoolean()) {
      metadata
          .transientSettings(Settings.readSettingsFromStream(in))
          .persistentSettings(Settings.readSettingsFromStream(in))
          .hashesOfConsistentSettings(DiffableStringMap.readFrom(in));
    }
    for (String index : in.readStringArray()) {
      metadata.remove(index);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      metadata.put(IndexMetadata.readFrom(in), false);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      IndexMetadata known = before.index(in.readString());
      if (known == null) {
        throw new IOException("got a change of an unknown index (expected: of a known one)");
      }
      metadata.put(IndexMetadata.readDiffFrom(in).apply(known), false);
    }
    for (String template : in.readStringArray()) {
      metadata.removeTemplate(template);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      metadata.put(IndexTemplateMetadata.readFrom(in));
    }
    for (String custom : in.readStringArray()) {
      metadata.removeCustom(custom);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      String name = in.readString();
      BytesArray bytes = new BytesArray(BytesReference.toBytes(in.readBytesReference()));
      metadata.putCustom(
          name, readCustom(open(bytes, in.getVersion()), name, before.customs().get(name)));
    }
    return metadata.build();
  }

  private static Metadata.Custom readCustom(
      StreamInput in, String name, Metadata.@Nullable Custom before) throws IOException {
    if (!in.readBoolean()) {
      return in.readNamedWriteable(Metadata.Custom.class, name);
    }
    if (before == null) {
      throw new IOException("got a change of unknown " + name + " (expected: of a known custom)");
    }
    @SuppressWarnings("unchecked") // registered under the name of the custom that it changes
    NamedDiff<Metadata.Custom> diff = in.readNamedWriteable(NamedDiff.class, name);
    return diff.apply(before);
  }

  private static BucketedMap<IndexRoutingTable> readRouting(
      StreamInput in, BucketedMap<IndexRoutingTable> before) throws IOException {
    Set<String> removed = Set.of(in.readStringArray());
    Map<String, IndexRoutingTable> changed = new HashMap<>();
    for (int left = in.readVInt(); left > 0; left--) {
      IndexRoutingTable table = IndexRoutingTable.readFrom(in);
      changed.put(table.getIndex().getName(), table);
    }
    return before.with(changed, removed);
  }

  private static ClusterBlocks readBlocks(StreamInput in, ClusterBlocks before) throws IOException {
    ClusterBlocks.Builder blocks = ClusterBlocks.builder().blocks(before);
    before.global().forEach(blocks::removeGlobalBlock);
    for (int left = in.readVInt(); left > 0; left--) {
      blocks.addGlobalBlock(new ClusterBlock(in));
    }
    for (String index : in.readStringArray()) {
      blocks.removeIndexBlocks(index);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      String index = in.readString();
      if (before.indices().containsKey(index)) {
        blocks.removeIndexBlocks(index);
      }
      for (int more = in.readVInt(); more > 0; more--) {
        blocks.addIndexBlock(index, new ClusterBlock(in));
      }
    }
    return blocks.build();
  }
}
