package dev.weir.cluster;

import dev.weir.cluster.read.KnownMetadata;
import dev.weir.cluster.read.ResponseInput;
import dev.weir.cluster.read.StateDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingAction;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingRequest;
import org.opensearch.action.admin.cluster.shards.routing.weighted.get.ClusterGetWeightedRoutingResponse;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.admin.indices.datastream.GetDataStreamAction;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.cluster.metadata.DataStreamMetadata;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.routing.allocation.decider.AwarenessAllocationDecider;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.Index;

/**
 * Reads a cluster state without the parts that the gateway does not know. It parses the metadata in
 * the order of the wire (settings, indices, templates, then customs) up to the first unknown
 * custom. It requests routing table, nodes and blocks separately, and the customs that coordination
 * needs by their own actions if they follow the unknown one. All parts that it reads are therefore
 * exact; only customs such as stored scripts and pipelines are missing, which the gateway leaves to
 * nodes.
 */
final class PartialStateReader {
  private static final int MAX_ATTEMPTS = 4;

  private final BlockingNodeCaller calls;
  private final NamedWriteableRegistry registry;
  private final StateDecoder decoder;
  private final StateReadCounts counts;

  /**
   * Creates a reader.
   *
   * @param decoder decodes the responses
   */
  PartialStateReader(
      BlockingNodeCaller calls,
      NamedWriteableRegistry registry,
      StateDecoder decoder,
      StateReadCounts counts) {
    this.calls = calls;
    this.registry = registry;
    this.decoder = decoder;
    this.counts = counts;
  }

  /**
   * Reads the node's state. All parts come from the same version, unless the state changes during
   * each of {@value #MAX_ATTEMPTS} attempts: then the metadata is of one state, and routing, nodes
   * and blocks are of a later one. Such a result has the version and the uuid of the earlier one,
   * so that the next poll reads again.
   *
   * @param nodeSettings the settings in the nodes' own files
   * @param timeout of each of the calls
   */
  ClusterStateReader.ReadResult read(NodeClient node, Settings nodeSettings, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    for (int tried = 1; ; tried++) {
      KnownMetadata known = readMetadata(node, timeout);
      ClusterState rest = readRest(node, timeout);
      if (!known.header().stateUUID().equals(rest.stateUUID()) && tried < MAX_ATTEMPTS) {
        continue;
      }
      if (!known.unknown().isEmpty()) {
        addDataStreams(node, known, timeout);
        addWeights(node, known, nodeSettings, timeout);
      }
      if (!isDataStreamsConsistent(known) && tried < MAX_ATTEMPTS) {
        continue;
      }
      long older =
          Math.min(known.header().version(), rest.version()); // the next poll sees the rest
      return new ClusterStateReader.ReadResult(
          ClusterState.builder(known.header())
              .version(older)
              .metadata(decoder.build(known))
              .routingTable(rest.routingTable())
              .nodes(rest.nodes())
              .blocks(rest.blocks())
              .build(),
          decoder.routing(),
          known.unknown());
    }
  }

  private KnownMetadata readMetadata(NodeClient node, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    return decoder.readKnownMetadata(
        read(node, ClusterStateReader.request().clear().metadata(true), timeout));
  }

  private ClusterState readRest(NodeClient node, Duration timeout)
      throws NodeCallException, InterruptedException, IOException {
    return decoder.readWithoutMetadata(
        read(
            node,
            ClusterStateReader.request().clear().routingTable(true).nodes(true).blocks(true),
            timeout));
  }

  private ResponseInput read(NodeClient node, ClusterStateRequest request, Duration timeout)
      throws NodeCallException, InterruptedException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(node, ClusterStateAction.NAME, request, timeout);
    counts.addBytes(answer.bytes().length());
    return answer.open(registry);
  }

  private void addDataStreams(NodeClient node, KnownMetadata known, Duration timeout)
      throws NodeCallException, InterruptedException {
    if (known.customs().containsKey(DataStreamMetadata.TYPE)) {
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
      known.unknown().add(DataStreamMetadata.TYPE); // the security plugin forbids this action
      return;
    }
    Map<String, DataStream> streams = new HashMap<>();
    answer
        .getDataStreams()
        .forEach(info -> streams.put(info.getDataStream().getName(), info.getDataStream()));
    if (!streams.isEmpty()) {
      known.customs().put(DataStreamMetadata.TYPE, new DataStreamMetadata(streams));
    }
  }

  private void addWeights(
      NodeClient node, KnownMetadata known, Settings nodeSettings, Duration timeout)
      throws NodeCallException, InterruptedException {
    if (known.customs().containsKey(WeightedRoutingMetadata.TYPE)) {
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
        known.unknown().add(WeightedRoutingMetadata.TYPE);
        return;
      }
      if (answer.weights() != null && answer.weights().isSet()) {
        known
            .customs()
            .put(
                WeightedRoutingMetadata.TYPE,
                new WeightedRoutingMetadata(answer.weights(), answer.getVersion()));
        return;
      }
    }
  }

  private static boolean isDataStreamsConsistent(KnownMetadata known) {
    return !(known.customs().get(DataStreamMetadata.TYPE) instanceof DataStreamMetadata all)
        || all.dataStreams().values().stream()
            .flatMap(stream -> stream.getIndices().stream())
            .map(Index::getName)
            .allMatch(known::hasIndex);
  }
}
