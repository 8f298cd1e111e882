package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether the cluster changed, and reads its state when it did. A look asks one node for its
 * position (some 70 bytes), every fifth look for its cluster manager too; the next node is asked
 * when that one fails or lags. Without any node that answers it goes on a {@link
 * ClusterRediscovery}. Confined to the watching thread, but for {@link #hint}.
 */
final class ClusterStateWatcher {
  private static final int MAX_NODES_PER_POLL = 5;
  private static final int MIN_LEADERLESS_NODES = 3;
  private static final int POLLS_PER_MANAGER_CHECK = 5;

  /** Reading takes at most a tenth of the time, half of it when requests wait for it. */
  private static final int REST_FACTOR = 9;

  private static final long MAX_REST_NANOS = Duration.ofSeconds(10).toNanos();

  private final ClusterStateReader reader;
  private final PollNodeSelector candidates;
  private final ViewPublisher publisher;
  private final ClusterRediscovery rediscovery;
  private final ClusterErrors errors;
  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable NodeClient> hint = new AtomicReference<>();
  private long pollCount;
  private long readEndedNanos;
  private long readTookNanos;
  private boolean isReadPending;

  ClusterStateWatcher(
      ClusterStateReader reader,
      PollNodeSelector candidates,
      ViewPublisher publisher,
      ClusterRediscovery rescue,
      ClusterErrors troubles,
      LongSupplier nanoTime) {
    this.reader = reader;
    this.candidates = candidates;
    this.publisher = publisher;
    this.rediscovery = rescue;
    this.errors = troubles;
    this.nanoTime = nanoTime;
    this.readEndedNanos = nanoTime.getAsLong() - MAX_REST_NANOS;
  }

  /** Makes the next look begin with a node that is known to have something newer. Any thread. */
  void hint(NodeClient node) {
    hint.set(node);
  }

  /**
   * How long to rest from reading before the change that was seen may be read; 0 when none was seen
   * that is not read yet.
   */
  long readDelayNanos(boolean sure) {
    return isReadPending ? Math.max(1, restNanos(sure)) : 0;
  }

  /**
   * Looks once.
   *
   * @param sure whether requests wait for it: the cluster manager, which knows first, is asked
   *     first
   * @return whether any node of the cluster answered
   */
  boolean poll(boolean sure) throws InterruptedException {
    ClusterView view = publisher.view();
    PollResult asked =
        new PollResult(
            pollCount++ % POLLS_PER_MANAGER_CHECK == 0
                || view.state().nodes().getClusterManagerNodeId() == null);
    List<NodeClient> order = pollOrder(view, sure, asked.forManager);
    int count = 0;
    for (NodeClient node : order) {
      if (count++ >= MAX_NODES_PER_POLL && asked.foreign < count - 1) {
        break; // where all are foreign each one counts
      }
      try {
        if (isSettledBy(node, order, view, sure, asked)) {
          rediscovery.reset();
          return true;
        }
      } catch (NodeCallException failure) {
        candidates.deprioritize(node);
        asked.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      } catch (IOException | RuntimeException failure) {
        asked.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      }
    }
    if (asked.behind > 0) {
      rediscovery.reset();
      errors.recordFailure(
          asked.behind + " nodes lag behind the newest state that was seen " + asked.failures);
      return true;
    }
    return rediscovery.tryAll(asked.failures, asked.foreign == order.size());
  }

  /** What the nodes were asked in one look, and what they said. */
  private static final class PollResult {
    private final boolean forManager;
    private final List<String> failures = new ArrayList<>();
    private int behind;
    private int foreign;
    private int leaderless;

    PollResult(boolean forManager) {
      this.forManager = forManager;
    }
  }

  private boolean isSettledBy(
      NodeClient node, List<NodeClient> order, ClusterView view, boolean sure, PollResult asked)
      throws NodeCallException, IOException, InterruptedException {
    StateProbe vitals = reader.probe(node, asked.forManager);
    return switch (NodeInspector.compare(vitals, view, rediscovery.followedUuid())) {
      case NOT_JOINED -> {
        asked.failures.add(node.endpoint().name() + ": has not joined a cluster");
        yield false;
      }
      case FOREIGN -> {
        asked.foreign++;
        asked.failures.add(
            node.endpoint().name() + ": is in another cluster now, " + vitals.clusterUuid());
        yield false;
      }
      case BEHIND -> {
        asked.behind++;
        yield false;
      }
      case SAME -> {
        isReadPending = false;
        publisher.confirm();
        errors.clearFailure();
        yield true;
      }
      case NEWER -> readNewer(chooseSource(node, vitals, order, view), view, sure);
      case NO_CLUSTER_MANAGER -> {
        asked.leaderless++;
        yield asked.leaderless >= Math.min(MIN_LEADERLESS_NODES, order.size())
            && readNewer(node, view, sure);
      }
    };
  }

  private boolean readNewer(NodeClient source, ClusterView view, boolean sure)
      throws NodeCallException, IOException, InterruptedException {
    if (restNanos(sure) > 0) {
      isReadPending = true;
      hint(source);
      return true;
    }
    long began = nanoTime.getAsLong();
    ClusterStateReader.ReadResult read = reader.readState(source, publisher.nodeSettings());
    readEndedNanos = nanoTime.getAsLong();
    readTookNanos = readEndedNanos - began;
    return switch (NodeInspector.compare(
        StateProbe.of(read.state()), view, rediscovery.followedUuid())) {
      case NOT_JOINED, FOREIGN, BEHIND -> false;
      case SAME -> {
        isReadPending = false;
        publisher.confirm();
        yield true;
      }
      case NEWER, NO_CLUSTER_MANAGER -> {
        isReadPending = false;
        publisher.publish(read);
        errors.clearFailure();
        yield true;
      }
    };
  }

  /** Whom to read a newer state from: the cluster manager only when nobody else has it yet. */
  private NodeClient chooseSource(
      NodeClient seenAt, StateProbe wanted, List<NodeClient> order, ClusterView view)
      throws InterruptedException {
    if (!seenAt.equals(candidates.clusterManager(view))) {
      return seenAt;
    }
    for (NodeClient other : order.subList(0, Math.min(order.size(), MIN_LEADERLESS_NODES))) {
      try {
        if (!other.equals(seenAt)
            && reader.probe(other, false).position().compareTo(wanted.position()) >= 0) {
          return other;
        }
      } catch (NodeCallException unreachable) {
        candidates.deprioritize(other); // the next one, or the cluster manager itself
      }
    }
    return seenAt;
  }

  private List<NodeClient> pollOrder(ClusterView view, boolean sure, boolean check) {
    List<NodeClient> order = check ? candidates.nextCheckOrder(view) : candidates.nextOrder(view);
    NodeClient first = hint.getAndSet(null);
    if (first == null && sure) {
      first = candidates.clusterManager(view);
    }
    if (first != null && first.isConnected() && !candidates.isDeprioritized(first)) {
      order.remove(first);
      order.addFirst(first);
    }
    return order;
  }

  private long restNanos(boolean sure) {
    long rest = Math.min(MAX_REST_NANOS, readTookNanos * (sure ? 1 : REST_FACTOR));
    return readEndedNanos + rest - nanoTime.getAsLong();
  }
}
