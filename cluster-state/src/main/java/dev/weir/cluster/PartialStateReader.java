package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingAction;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingRequest;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingResponse;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.action.admin.indices.datastream.GetDataStreamAction;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.cluster.metadata.DataStreamMetadata;
import org.opensearch.cluster.metadata.DiffableStringMap;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.routing.allocation.decider.AwarenessAllocationDecider;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.Index;

/**
 * Reads a cluster state without the parts that the gateway does not know. It parses the metadata in
 * the order of the wire (settings, indices, templates, then customs) up to the first unknown
 * custom. It requests routing table, nodes and blocks separately, and the customs that coordination
 * needs by their own actions if they follow the unknown one. All parts that it reads are therefore
 * exact; only customs such as stored scripts and pipelines are missing, which the gateway leaves to
 * nodes.
 *
 * <p>The order of the wire is that of {@code Metadata.readFrom} in OpenSearch.
 */
final class PartialStateReader {
  private static final int MAX_ATTEMPTS = 4;

  private final BlockingNodeCaller calls;
  private final NamedWriteableRegistry registry;

  PartialStateReader(BlockingNodeCaller calls, NamedWriteableRegistry registry) {
    this.calls = calls;
    this.registry = registry;
  }

  /** The readable part of the metadata. */
  record KnownMetadata(
      ClusterName cluster,
      long version,
      String uuid,
      Metadata.Builder metadata,
      Settings settings,
      Customs customs) {}

  /**
   * The customs that were read and those that were not.
   *
   * @param known by name
   * @param unknown the first unknown custom, and those that coordination needs but could not read
   *     otherwise; customs after the first unknown one were not reached
   */
  record Customs(Map<String, Metadata.Custom> known, Set<String> unknown) {}

  /**
   * Reads the node's state; metadata and routing come from the same version.
   *
   * @param nodeSettings the settings in the nodes' own files
   * @param timeout of each of the calls
   */
  ClusterStateReader.ReadResult read(NodeClient node, Settings nodeSettings, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    for (int tried = 1; ; tried++) {
      KnownMetadata known = readMetadata(node, timeout);
      ClusterState rest = readRest(node, timeout);
      if (!known.uuid().equals(rest.stateUUID()) && tried < MAX_ATTEMPTS) {
        continue;
      }
      if (!known.customs().unknown().isEmpty()) {
        addDataStreams(node, known, timeout);
        addWeights(node, known, nodeSettings, timeout);
      }
      if (!isDataStreamsConsistent(known) && tried < MAX_ATTEMPTS) {
        continue;
      }
      return new ClusterStateReader.ReadResult(
          ClusterState.builder(known.cluster())
              .version(
                  Math.min(
                      known.version(),
                      rest.version())) // the older one, so that the next poll detects the
              // difference
              .stateUUID(known.uuid())
              .metadata(known.metadata().customs(known.customs().known()))
              .routingTable(rest.routingTable())
              .nodes(rest.nodes())
              .blocks(rest.blocks())
              .build(),
          known.customs().unknown());
    }
  }

  private KnownMetadata readMetadata(NodeClient node, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(
            node,
            ClusterStateAction.NAME,
            ClusterStateReader.request().clear().metadata(true),
            timeout);
    try (StreamInput in = answer.openStream(registry)) {
      return readKnown(in);
    }
  }

  /** Parses a ClusterStateResponse up to the first unknown custom of its metadata. */
  static KnownMetadata readKnown(StreamInput in) throws IOException {
    ClusterName cluster = new ClusterName(in);
    if (!in.readBoolean()) {
      throw new IOException("got no cluster state (expected: one, without waiting)");
    }
    new ClusterName(in);
    long version = in.readLong();
    String uuid = in.readString();
    Metadata.Builder metadata =
        Metadata.builder()
            .version(in.readLong())
            .clusterUUID(in.readString())
            .clusterUUIDCommitted(in.readBoolean())
            .coordinationMetadata(new CoordinationMetadata(in));
    Settings transients = Settings.readSettingsFromStream(in);
    Settings persistents = Settings.readSettingsFromStream(in);
    metadata
        .transientSettings(transients)
        .persistentSettings(persistents)
        .hashesOfConsistentSettings(DiffableStringMap.readFrom(in));
    for (int left = in.readVInt(); left > 0; left--) {
      metadata.put(IndexMetadata.readFrom(in), false);
    }
    for (int left = in.readVInt(); left > 0; left--) {
      metadata.put(IndexTemplateMetadata.readFrom(in));
    }
    Settings settings = Settings.builder().put(persistents).put(transients).build();
    return new KnownMetadata(cluster, version, uuid, metadata, settings, readCustoms(in));
  }

  private static Customs readCustoms(StreamInput in) throws IOException {
    Map<String, Metadata.Custom> read = new HashMap<>();
    Set<String> unknown = new LinkedHashSet<>();
    int size = in.readVInt();
    while (read.size() < size) {
      String name = in.readString();
      try {
        read.put(name, in.readNamedWriteable(Metadata.Custom.class, name));
      } catch (IOException | RuntimeException unreadable) {
        unknown.add(name);
        break;
      }
    }
    return new Customs(read, unknown);
  }

  private ClusterState readRest(NodeClient node, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(
            node,
            ClusterStateAction.NAME,
            ClusterStateReader.request().clear().routingTable(true).nodes(true).blocks(true),
            timeout);
    try (StreamInput in = answer.openStream(registry)) {
      return new ClusterStateResponse(in).getState();
    }
  }

  private void addDataStreams(NodeClient node, KnownMetadata known, Duration timeout)
      throws NodeCallException, InterruptedException {
    if (known.customs().known().containsKey(DataStreamMetadata.TYPE)) {
      return;
    }
    GetDataStreamAction.Response answer;
    try {
      answer =
          calls.call(
              node,
              GetDataStreamAction.NAME,
              new GetDataStreamAction.Request(new String[] {"*"}).local(true),
              GetDataStreamAction.Response::new,
              timeout);
    } catch (NodeCallException failure) {
      if (failure.kind() != NodeCallException.Kind.REMOTE) {
        throw failure;
      }
      known
          .customs()
          .unknown()
          .add(DataStreamMetadata.TYPE); // the security plugin forbids this action
      return;
    }
    Map<String, DataStream> streams = new HashMap<>();
    answer
        .getDataStreams()
        .forEach(info -> streams.put(info.getDataStream().getName(), info.getDataStream()));
    if (!streams.isEmpty()) {
      known.customs().known().put(DataStreamMetadata.TYPE, new DataStreamMetadata(streams));
    }
  }

  private void addWeights(
      NodeClient node, KnownMetadata known, Settings nodeSettings, Duration timeout)
      throws NodeCallException, InterruptedException {
    if (known.customs().known().containsKey(WeightedRoutingMetadata.TYPE)) {
      return;
    }
    Settings effective = Settings.builder().put(nodeSettings).put(known.settings()).build();
    for (String attribute :
        AwarenessAllocationDecider.CLUSTER_ROUTING_ALLOCATION_AWARENESS_ATTRIBUTE_SETTING.get(
            effective)) {
      ClusterGetWeightedRoutingResponse answer;
      try {
        answer =
            calls.call(
                node,
                ClusterGetWeightedRoutingAction.NAME,
                new ClusterGetWeightedRoutingRequest(attribute).local(true),
                ClusterGetWeightedRoutingAction.INSTANCE.getResponseReader(),
                timeout);
      } catch (NodeCallException failure) {
        if (failure.kind() != NodeCallException.Kind.REMOTE) {
          throw failure;
        }
        known.customs().unknown().add(WeightedRoutingMetadata.TYPE);
        return;
      }
      if (answer.weights() != null && answer.weights().isSet()) {
        known
            .customs()
            .known()
            .put(
                WeightedRoutingMetadata.TYPE,
                new WeightedRoutingMetadata(answer.weights(), answer.getVersion()));
        return;
      }
    }
  }

  private static boolean isDataStreamsConsistent(KnownMetadata known) {
    return !(known.customs().known().get(DataStreamMetadata.TYPE) instanceof DataStreamMetadata all)
        || all.dataStreams().values().stream()
            .flatMap(stream -> stream.getIndices().stream())
            .map(Index::getName)
            .allMatch(name -> known.metadata().get(name) != null);
  }
}
