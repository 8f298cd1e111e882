package dev.weir.cluster;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.cluster.diff.StateDiffRequests;
import dev.weir.cluster.diff.StateDiffs;
import dev.weir.cluster.diff.StateStepDecoder;
import dev.weir.cluster.diff.SteppedState;
import dev.weir.cluster.read.Identity;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the state by its changes, at a node whose plugin answers with them: one request waits at
 * the node until its state is newer than the newest view's. Runs on a virtual thread of its own.
 *
 * <p>{@link ClusterStateWatcher} polls all the same: a poll confirms the view, sees when the
 * followed node lags, and reads the whole state whenever the changes do not come. So everything
 * works without the plugin, too.
 */
final class ClusterStateDiffFollower {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterStateDiffFollower.class);

  private static final Duration NODE_WAIT = Duration.ofSeconds(30);
  private static final Duration RESPONSE_MARGIN = Duration.ofSeconds(5);
  private static final Duration VIEW_WAIT = Duration.ofSeconds(1);

  /** The longest time that a node may take longer than another one to apply a state. */
  private static final Duration MAX_LAG = Duration.ofMillis(500);

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(50), 2, Duration.ofSeconds(10));

  private final CallContext calls;
  private final PollNodeSelector candidates;
  private final ViewPublisher publisher;
  private final ClusterViewStore views;
  private final Runnable onUnknownState;
  private final AtomicReference<@Nullable CompletableFuture<StateDiffs>> pending =
      new AtomicReference<>();
  private volatile @Nullable String followedId;
  private volatile boolean isLive;

  /**
   * How to ask nodes.
   *
   * @param nodes calls them
   * @param capabilities says which nodes have the plugin
   * @param decoder applies their answers
   * @param counts counts what is read
   */
  record CallContext(
      BlockingNodeCaller nodes,
      NodeCapabilities capabilities,
      StateStepDecoder decoder,
      StateReadCounts counts) {}

  /**
   * Creates a follower.
   *
   * @param onUnknownState runs when only a read of the whole state helps
   */
  ClusterStateDiffFollower(
      CallContext calls,
      PollNodeSelector candidates,
      ViewPublisher publisher,
      ClusterViewStore views,
      Runnable onUnknownState) {
    this.calls = calls;
    this.candidates = candidates;
    this.publisher = publisher;
    this.views = views;
    this.onUnknownState = onUnknownState;
  }

  /** Returns the id of the followed node; null if there is none. Safe on any thread. */
  @Nullable String followedNode() {
    return isLive ? followedId : null;
  }

  /** Returns whether changes come as they happen. Safe on any thread. */
  boolean isLive() {
    return isLive;
  }

  /**
   * Waits for the view at a position that another node has already. Safe on any thread.
   *
   * @return whether the view came; if it did not, the caller reads the state itself, and another
   *     node is followed from now on, unless no changes can be added to the view as it is
   */
  boolean awaitPosition(StatePosition wanted) throws InterruptedException {
    if (!isLive || !canFollow(views.newest())) {
      return false; // a new cluster manager may have the same position
    }
    if (views.awaitPosition(wanted, MAX_LAG)) {
      return true;
    }
    CompletableFuture<StateDiffs> stalled = pending.get();
    if (stalled != null) {
      stalled.cancel(false);
    }
    return false;
  }

  /** Follows until interrupted. */
  void run() throws InterruptedException {
    try {
      follow();
    } finally {
      isLive = false;
    }
  }

  private void follow() throws InterruptedException {
    int failures = 0;
    while (true) {
      ClusterView view = publisher.view();
      NodeClient node = canFollow(view) ? selectNode(view) : null;
      if (node == null) {
        isLive = false;
        views.awaitChange(view, VIEW_WAIT);
        continue;
      }
      try {
        isLive = true;
        StateDiffs answer = ask(node, view);
        switch (answer.outcome()) {
          case CHANGES -> apply(answer);
          case UNKNOWN_STATE -> {
            isLive = false;
            onUnknownState.run();
            views.awaitChange(view, VIEW_WAIT);
          }
          case NO_CLUSTER_MANAGER -> leave(node, ++failures);
        }
        if (isLive) {
          failures = 0;
        }
      } catch (NodeCallException | IOException | RuntimeException failure) {
        LOG.debug("no changes of the cluster state from {}", node.endpoint().name(), failure);
        leave(node, ++failures);
      }
    }
  }

  /** Stops to follow a node for a while. */
  private void leave(NodeClient node, int failures) throws InterruptedException {
    isLive = false;
    followedId = null;
    candidates.deprioritize(node);
    TimeUnit.NANOSECONDS.sleep(BACKOFF.delayNanos(failures - 1)); // at once after the first one
  }

  /**
   * Returns whether changes can be added to a view: it has all parts of its state. A state without
   * a cluster manager has the uuid of the state before.
   */
  private static boolean canFollow(ClusterView view) {
    return !view.isPartial() && view.state().nodes().getClusterManagerNodeId() != null;
  }

  private @Nullable NodeClient selectNode(ClusterView view) {
    NodeClient first = null;
    for (NodeClient node : candidates.nextOrder(view)) {
      String id = node.endpoint().id();
      if (calls.capabilities().has(id, Capability.CLUSTER_STATE_DIFFS)) {
        if (id.equals(followedId)) {
          return node;
        }
        first = first == null ? node : first;
      }
    }
    followedId = first == null ? null : first.endpoint().id();
    return first;
  }

  private StateDiffs ask(NodeClient node, ClusterView view)
      throws NodeCallException, IOException, InterruptedException {
    CompletableFuture<StateDiffs> answer = new CompletableFuture<>();
    pending.set(answer);
    try {
      return calls
          .nodes()
          .call(
              node,
              StateDiffRequests.ACTION,
              StateDiffRequests.after(view.state(), NODE_WAIT),
              StateDiffs::readFrom,
              NODE_WAIT.plus(RESPONSE_MARGIN),
              answer);
    } finally {
      pending.set(null);
    }
  }

  /** Publishes the state after all steps that follow the newest view. */
  private void apply(StateDiffs answer) throws IOException {
    if (answer.steps().isEmpty()) {
      return;
    }
    calls.counts().addDiffs(answer.steps().size(), answer.byteCount());
    synchronized (publisher) {
      ClusterView view = publisher.view();
      if (!canFollow(view)) {
        return;
      }
      SteppedState before = publisher.steppedState();
      SteppedState after = before;
      for (BytesArray step : answer.steps()) {
        SteppedState next = calls.decoder().apply(after, step);
        after = next == null ? after : next; // the view may have got newer in the meantime
      }
      if (!Identity.isSame(after, before)) {
        publisher.publish(
            new ClusterStateReader.ReadResult(after.state(), after.routing(), Set.of()));
      }
    }
  }
}
