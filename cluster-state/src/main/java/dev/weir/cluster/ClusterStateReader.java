package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionRequest;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Asks one node for its cluster state, whole or just enough to see that it changed. Always the
 * node's own state ({@code local=true}), so that it answers without a cluster manager too. Blocks;
 * for virtual threads. Confined to one thread, but for what says otherwise.
 *
 * <p>A state with a custom part of a plugin that the gateway does not have can't be read in one
 * piece: named parts have no length on the wire. {@link PartialStateReader} reads around it then,
 * until the state reads whole again.
 */
final class ClusterStateReader {
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration INITIAL_STATE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_STATE_TIMEOUT = Duration.ofSeconds(60);

  private final BlockingNodeCaller calls;
  private final NamedWriteableRegistry registry;
  private final PartialStateReader partial;
  private Duration stateTimeout = INITIAL_STATE_TIMEOUT;
  private boolean isReadInParts;
  private boolean isTermVersionRejected;

  ClusterStateReader(BlockingNodeCaller calls, NamedWriteableRegistry registry) {
    this.calls = calls;
    this.registry = registry;
    this.partial = new PartialStateReader(calls, registry);
  }

  /**
   * A state as read.
   *
   * @param unknownParts named parts that were left out because the gateway does not know them
   */
  record ReadResult(ClusterState state, Set<String> unknownParts) {}

  /**
   * The node's state; ClusterState.Custom parts, which coordination does not need, left out.
   *
   * @param nodeSettings what the nodes' own files say
   */
  ReadResult readState(NodeClient node, Settings nodeSettings)
      throws NodeCallException, InterruptedException, IOException {
    try {
      ReadResult read = isReadInParts ? null : readUnsplit(node);
      if (read == null) {
        read = partial.read(node, nodeSettings, stateTimeout);
        isReadInParts = !read.unknownParts().isEmpty();
      }
      stateTimeout = INITIAL_STATE_TIMEOUT;
      return read;
    } catch (NodeCallException failure) {
      if (failure.kind() == NodeCallException.Kind.TIMED_OUT) {
        Duration doubled = stateTimeout.multipliedBy(2); // it may be large, or the way to it slow
        stateTimeout = doubled.compareTo(MAX_STATE_TIMEOUT) > 0 ? MAX_STATE_TIMEOUT : doubled;
      }
      throw failure;
    }
  }

  /** Null when there are parts that can't be read. */
  private @Nullable ReadResult readUnsplit(NodeClient node)
      throws NodeCallException, InterruptedException {
    BlockingNodeCaller.RawResponse answer =
        calls.callRaw(node, ClusterStateAction.NAME, request().all().customs(false), stateTimeout);
    try (StreamInput in = answer.openStream(registry)) {
      return new ReadResult(new ClusterStateResponse(in).getState(), Set.of());
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  /**
   * The position of the node's state, for as few bytes as possible.
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
        isTermVersionRejected =
            true; // internal actions are for node certificates where security is on
      }
    }
    return probeState(node);
  }

  /** The position and cluster manager of the node's state. Any thread. */
  StateProbe probeState(NodeClient node) throws NodeCallException, InterruptedException {
    return StateProbe.of(
        calls
            .call(
                node,
                ClusterStateAction.NAME,
                request().clear().nodes(true),
                ClusterStateResponse::new,
                PROBE_TIMEOUT)
            .getState());
  }

  /**
   * Waits at the node until the metadata is at least of this version; false when it is not after
   * {@code patience}. Any thread.
   */
  boolean awaitMetadata(NodeClient node, long version, Duration patience)
      throws NodeCallException, InterruptedException {
    ClusterStateRequest request =
        request()
            .clear()
            .metadata(true)
            .indices("-none*")
            .indicesOptions(IndicesOptions.lenientExpandOpen())
            .waitForMetadataVersion(version)
            .waitForTimeout(TimeValue.timeValueMillis(patience.toMillis()));
    return !calls
        .call(
            node,
            ClusterStateAction.NAME,
            request,
            ClusterStateResponse::new,
            patience.plus(PROBE_TIMEOUT))
        .isWaitForTimedOut();
  }

  static ClusterStateRequest request() {
    return new ClusterStateRequest().local(true);
  }
}
