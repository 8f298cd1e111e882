package dev.weir.cluster;

import dev.weir.cluster.read.BucketedMap;
import dev.weir.cluster.read.StateDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionRequest;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.rest.RestStatus;

/**
 * Reads the cluster state of one node, or only enough of it to detect a change. It always asks for
 * the node's own state ({@code local=true}), which works without a cluster manager. Blocks; for
 * virtual threads. Confined to one thread, except for methods that say otherwise.
 *
 * <p>A state with a custom part of a plugin that the gateway lacks cannot be read in one piece,
 * because named parts have no length on the wire. {@link PartialStateReader} then reads around it,
 * until the state is readable as a whole again.
 */
final class ClusterStateReader {
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration INITIAL_STATE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_STATE_TIMEOUT = Duration.ofSeconds(60);

  /** A read may take this many times as long as the last one. */
  private static final int TIMEOUT_FACTOR = 4;

  private final BlockingNodeCaller calls;
  private final NamedWriteableRegistry registry;
  private final StateReadCounts counts;
  private final LongSupplier nanoTime;
  private final StateDecoder decoder;
  private final PartialStateReader partial;
  private Duration stateTimeout = INITIAL_STATE_TIMEOUT;
  private boolean isReadInParts;
  private boolean isTermVersionRejected;

  ClusterStateReader(
      BlockingNodeCaller calls,
      NamedWriteableRegistry registry,
      StateReadCounts counts,
      LongSupplier nanoTime) {
    this.calls = calls;
    this.registry = registry;
    this.counts = counts;
    this.nanoTime = nanoTime;
    this.decoder = new StateDecoder(counts);
    this.partial = new PartialStateReader(calls, registry, decoder, counts);
  }

  /**
   * A state that was read.
   *
   * @param routing the entries of the state's routing table
   * @param unknownParts the named parts that were left out because the gateway does not know them
   */
  record ReadResult(
      ClusterState state, BucketedMap<IndexRoutingTable> routing, Set<String> unknownParts) {}

  /**
   * Reads the node's state without ClusterState.Custom parts, which coordination does not need.
   *
   * @param nodeSettings the settings in the nodes' own files
   */
  ReadResult readState(NodeClient node, Settings nodeSettings)
      throws NodeCallException, InterruptedException, IOException {
    long beganNanos = nanoTime.getAsLong();
    try {
      ReadResult read = isReadInParts ? null : readUnsplit(node);
      if (read == null) {
        read = partial.read(node, nodeSettings, stateTimeout);
        isReadInParts = !read.unknownParts().isEmpty();
      }
      stateTimeout = clampTimeout(TIMEOUT_FACTOR * (nanoTime.getAsLong() - beganNanos));
      counts.addWholeRead();
      return read;
    } catch (NodeCallException failure) {
      if (failure.kind() == NodeCallException.Kind.TIMED_OUT) {
        // the state may be large, or the network slow
        stateTimeout = clampTimeout(2 * stateTimeout.toNanos());
      }
      throw failure;
    }
  }

  private static Duration clampTimeout(long nanos) {
    return Duration.ofNanos(
        Math.clamp(nanos, INITIAL_STATE_TIMEOUT.toNanos(), MAX_STATE_TIMEOUT.toNanos()));
  }

  /** Returns how long the next read of a whole state may take. */
  Duration stateTimeout() {
    return stateTimeout;
  }

  /** Reads the state in one piece; null if it has unknown parts. */
  private @Nullable ReadResult readUnsplit(NodeClient node)
      throws NodeCallException, InterruptedException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(node, ClusterStateAction.NAME, request().all().customs(false), stateTimeout);
    counts.addBytes(answer.bytes().length());
    try {
      ClusterState state = decoder.read(answer.open(registry));
      return new ReadResult(state, decoder.routing(), Set.of());
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  /**
   * Reads the routing of some indices, with the uuid of the cluster and the position of the state
   * but without anything else. An index that the node does not know is missing.
   *
   * @param indices names; at least one
   */
  ClusterState readRouting(NodeClient node, Collection<String> indices)
      throws NodeCallException, InterruptedException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(
            node,
            ClusterStateAction.NAME,
            request()
                .clear()
                .routingTable(true)
                .indices(indices.toArray(String[]::new))
                .indicesOptions(IndicesOptions.LENIENT_EXPAND_OPEN_CLOSED_HIDDEN),
            PROBE_TIMEOUT);
    counts.addBytes(answer.bytes().length());
    try {
      ClusterState read = decoder.readSmall(answer.open(registry));
      counts.addRoutingRead(read.routingTable().indicesRouting().size());
      return read;
    } catch (IOException | RuntimeException unreadable) {
      throw new NodeCallException(
          NodeCallException.Kind.MALFORMED, node.endpoint().name(), unreadable);
    }
  }

  /**
   * Reads the term and version of the node's state, with as few bytes as possible.
   *
   * @param manager whether to ask for the cluster manager too, which costs the list of nodes
   */
  StateProbe probe(NodeClient node, boolean manager)
      throws NodeCallException, InterruptedException {
    if (!manager && !isTermVersionRejected) {
      try {
        return StateProbe.of(
            calls
                .call(
                    node,
                    GetTermVersionAction.NAME,
                    new GetTermVersionRequest().local(true),
                    GetTermVersionResponse::new,
                    PROBE_TIMEOUT)
                .getClusterStateTermVersion());
      } catch (NodeCallException failure) {
        if (failure.kind() != NodeCallException.Kind.REMOTE) {
          throw failure;
        }
        // the security plugin reserves internal actions for node certificates; an overloaded node
        // will answer again
        isTermVersionRejected = failure.status() != RestStatus.TOO_MANY_REQUESTS.getStatus();
      }
    }
    return probeState(node);
  }

  /** Reads the term, version and cluster manager of the node's state. Safe on any thread. */
  StateProbe probeState(NodeClient node) throws NodeCallException, InterruptedException {
    return StateProbe.of(readNodes(node));
  }

  /**
   * Reads the nodes in the node's state, with the uuid of the cluster and the position of the state
   * but without anything else. Safe on any thread.
   */
  ClusterState readNodes(NodeClient node) throws NodeCallException, InterruptedException {
    return calls
        .call(
            node,
            ClusterStateAction.NAME,
            request().clear().nodes(true),
            ClusterStateResponse::new,
            PROBE_TIMEOUT)
        .getState();
  }

  /**
   * Waits until the node's metadata has at least this version; returns false after {@code timeout}.
   * Safe on any thread.
   */
  boolean awaitMetadata(NodeClient node, long version, Duration timeout)
      throws NodeCallException, InterruptedException {
    ClusterStateRequest request =
        request()
            .clear()
            .metadata(true)
            .indices("-none*")
            .indicesOptions(IndicesOptions.lenientExpandOpen())
            .waitForMetadataVersion(version)
            .waitForTimeout(TimeValue.timeValueMillis(timeout.toMillis()));
    return !calls
        .call(
            node,
            ClusterStateAction.NAME,
            request,
            ClusterStateResponse::new,
            timeout.plus(PROBE_TIMEOUT))
        .isWaitForTimedOut();
  }

  static ClusterStateRequest request() {
    return new ClusterStateRequest().local(true);
  }
}
