package dev.weir.cluster;

import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeFailure;
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
 * when that one fails or lags. Without any node that answers it goes on a {@link Rescue}. Confined
 * to the watching thread, but for {@link #hint}.
 */
final class Watch {
  private static final int ASKED_AT_MOST = 5;
  private static final int LEADERLESS_ENOUGH = 3;
  private static final int LOOKS_PER_MANAGER_CHECK = 5;

  /** Reading takes at most a tenth of the time, half of it when requests wait for it. */
  private static final int REST_FACTOR = 9;

  private static final long LONGEST_REST_NANOS = Duration.ofSeconds(10).toNanos();

  private final StateReader reader;
  private final Candidates candidates;
  private final Publisher publisher;
  private final Rescue rescue;
  private final Troubles troubles;
  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable NodeClient> hint = new AtomicReference<>();
  private long looks;
  private long readEndedNanos;
  private long readTookNanos;
  private boolean readOwed;

  Watch(
      StateReader reader,
      Candidates candidates,
      Publisher publisher,
      Rescue rescue,
      Troubles troubles,
      LongSupplier nanoTime) {
    this.reader = reader;
    this.candidates = candidates;
    this.publisher = publisher;
    this.rescue = rescue;
    this.troubles = troubles;
    this.nanoTime = nanoTime;
    this.readEndedNanos = nanoTime.getAsLong() - LONGEST_REST_NANOS;
  }

  /** Makes the next look begin with a node that is known to have something newer. Any thread. */
  void hint(NodeClient node) {
    hint.set(node);
  }

  /**
   * How long to rest from reading before the change that was seen may be read; 0 when none was seen
   * that is not read yet.
   */
  long owedNanos(boolean sure) {
    return readOwed ? Math.max(1, restNanos(sure)) : 0;
  }

  /**
   * Looks once.
   *
   * @param sure whether requests wait for it: the cluster manager, which knows first, is asked
   *     first
   * @return whether any node of the cluster answered
   */
  boolean look(boolean sure) throws InterruptedException {
    ClusterView view = publisher.view();
    Asked asked =
        new Asked(
            looks++ % LOOKS_PER_MANAGER_CHECK == 0
                || view.state().nodes().getClusterManagerNodeId() == null);
    List<NodeClient> order = order(view, sure, asked.forManager);
    int count = 0;
    for (NodeClient node : order) {
      if (count++ >= ASKED_AT_MOST && asked.foreign < count - 1) {
        break; // where all are foreign each one counts
      }
      try {
        if (settledBy(node, order, view, sure, asked)) {
          rescue.notNeeded();
          return true;
        }
      } catch (NodeFailure failure) {
        candidates.distrust(node);
        asked.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      } catch (IOException | RuntimeException failure) {
        asked.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      }
    }
    if (asked.behind > 0) {
      rescue.notNeeded();
      troubles.failed(
          asked.behind + " nodes lag behind the newest state that was seen " + asked.failures);
      return true;
    }
    return rescue.attempt(asked.failures, asked.foreign == order.size());
  }

  /** What the nodes were asked in one look, and what they said. */
  private static final class Asked {
    private final boolean forManager;
    private final List<String> failures = new ArrayList<>();
    private int behind;
    private int foreign;
    private int leaderless;

    Asked(boolean forManager) {
      this.forManager = forManager;
    }
  }

  private boolean settledBy(
      NodeClient node, List<NodeClient> order, ClusterView view, boolean sure, Asked asked)
      throws NodeFailure, IOException, InterruptedException {
    Vitals vitals = reader.vitals(node, asked.forManager);
    return switch (NodeLook.at(vitals, view, rescue.followed())) {
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
        readOwed = false;
        publisher.confirm();
        troubles.healed();
        yield true;
      }
      case NEWER -> newer(source(node, vitals, order, view), view, sure);
      case LEADERLESS -> {
        asked.leaderless++;
        yield asked.leaderless >= Math.min(LEADERLESS_ENOUGH, order.size())
            && newer(node, view, sure);
      }
    };
  }

  private boolean newer(NodeClient source, ClusterView view, boolean sure)
      throws NodeFailure, IOException, InterruptedException {
    if (restNanos(sure) > 0) {
      readOwed = true;
      hint(source);
      return true;
    }
    long began = nanoTime.getAsLong();
    StateReader.Read read = reader.whole(source, publisher.nodeSettings());
    readEndedNanos = nanoTime.getAsLong();
    readTookNanos = readEndedNanos - began;
    return switch (NodeLook.at(Vitals.of(read.state()), view, rescue.followed())) {
      case NOT_JOINED, FOREIGN, BEHIND -> false;
      case SAME -> {
        readOwed = false;
        publisher.confirm();
        yield true;
      }
      case NEWER, LEADERLESS -> {
        readOwed = false;
        publisher.publish(read);
        troubles.healed();
        yield true;
      }
    };
  }

  /** Whom to read a newer state from: the cluster manager only when nobody else has it yet. */
  private NodeClient source(
      NodeClient seenAt, Vitals wanted, List<NodeClient> order, ClusterView view)
      throws InterruptedException {
    if (!seenAt.equals(candidates.manager(view))) {
      return seenAt;
    }
    for (NodeClient other : order.subList(0, Math.min(order.size(), LEADERLESS_ENOUGH))) {
      try {
        if (!other.equals(seenAt)
            && reader.vitals(other, false).position().compareTo(wanted.position()) >= 0) {
          return other;
        }
      } catch (NodeFailure unreachable) {
        candidates.distrust(other); // the next one, or the cluster manager itself
      }
    }
    return seenAt;
  }

  private List<NodeClient> order(ClusterView view, boolean sure, boolean check) {
    List<NodeClient> order = check ? candidates.inTurnOfChecks(view) : candidates.inTurn(view);
    NodeClient first = hint.getAndSet(null);
    if (first == null && sure) {
      first = candidates.manager(view);
    }
    if (first != null && first.connected() && !candidates.distrusts(first)) {
      order.remove(first);
      order.addFirst(first);
    }
    return order;
  }

  private long restNanos(boolean sure) {
    long rest = Math.min(LONGEST_REST_NANOS, readTookNanos * (sure ? 1 : REST_FACTOR));
    return readEndedNanos + rest - nanoTime.getAsLong();
  }
}
