package dev.weir.cluster;

import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeFailure;
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
 * piece: named parts have no length on the wire. {@link PartialState} reads around it then, until
 * the state reads whole again.
 */
final class StateReader {
  private static final Duration QUICK = Duration.ofSeconds(1);
  private static final Duration WHOLE = Duration.ofSeconds(5);
  private static final Duration WHOLE_AT_MOST = Duration.ofSeconds(60);

  private final Calls calls;
  private final NamedWriteableRegistry registry;
  private final PartialState partial;
  private Duration wholeTimeout = WHOLE;
  private boolean inParts;
  private boolean termsRefused;

  StateReader(Calls calls, NamedWriteableRegistry registry) {
    this.calls = calls;
    this.registry = registry;
    this.partial = new PartialState(calls, registry);
  }

  /**
   * A state as read.
   *
   * @param unknown named parts that were left out because the gateway does not know them
   */
  record Read(ClusterState state, Set<String> unknown) {}

  /**
   * The node's state; ClusterState.Custom parts, which coordination does not need, left out.
   *
   * @param nodeSettings what the nodes' own files say
   */
  Read whole(NodeClient node, Settings nodeSettings)
      throws NodeFailure, InterruptedException, IOException {
    try {
      Read read = inParts ? null : inOnePiece(node);
      if (read == null) {
        read = partial.read(node, nodeSettings, wholeTimeout);
        inParts = !read.unknown().isEmpty();
      }
      wholeTimeout = WHOLE;
      return read;
    } catch (NodeFailure failure) {
      if (failure.kind() == NodeFailure.Kind.TIMED_OUT) {
        Duration doubled = wholeTimeout.multipliedBy(2); // it may be large, or the way to it slow
        wholeTimeout = doubled.compareTo(WHOLE_AT_MOST) > 0 ? WHOLE_AT_MOST : doubled;
      }
      throw failure;
    }
  }

  /** Null when there are parts that can't be read. */
  private @Nullable Read inOnePiece(NodeClient node) throws NodeFailure, InterruptedException {
    Calls.Answer answer =
        calls.bytes(node, ClusterStateAction.NAME, request().all().customs(false), wholeTimeout);
    try (StreamInput in = answer.open(registry)) {
      return new Read(new ClusterStateResponse(in).getState(), Set.of());
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  /**
   * The position of the node's state, for as few bytes as possible.
   *
   * @param manager whether to ask for the cluster manager too, which costs the list of nodes
   */
  Vitals vitals(NodeClient node, boolean manager) throws NodeFailure, InterruptedException {
    if (!manager && !termsRefused) {
      try {
        return Vitals.of(
            calls
                .call(
                    node,
                    GetTermVersionAction.NAME,
                    new GetTermVersionRequest().local(true),
                    GetTermVersionResponse::new,
                    QUICK)
                .getClusterStateTermVersion());
      } catch (NodeFailure failure) {
        if (failure.kind() != NodeFailure.Kind.REMOTE) {
          throw failure;
        }
        termsRefused = true; // internal actions are for node certificates where security is on
      }
    }
    return vitalsOf(node);
  }

  /** The position and cluster manager of the node's state. Any thread. */
  Vitals vitalsOf(NodeClient node) throws NodeFailure, InterruptedException {
    return Vitals.of(
        calls
            .call(
                node,
                ClusterStateAction.NAME,
                request().clear().nodes(true),
                ClusterStateResponse::new,
                QUICK)
            .getState());
  }

  /**
   * Waits at the node until the metadata is at least of this version; false when it is not after
   * {@code patience}. Any thread.
   */
  boolean awaitMetadata(NodeClient node, long version, Duration patience)
      throws NodeFailure, InterruptedException {
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
            node, ClusterStateAction.NAME, request, ClusterStateResponse::new, patience.plus(QUICK))
        .isWaitForTimedOut();
  }

  static ClusterStateRequest request() {
    return new ClusterStateRequest().local(true);
  }
}
