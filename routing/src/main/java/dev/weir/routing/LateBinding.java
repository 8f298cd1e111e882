package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.tail.InFlightLimit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests at the gateway while every node that could take them has as much under way as it
 * can well do: a request is bound to a copy when one is free, not before (join-the-idle-queue, Lu
 * et al. 2011). Decides only; the caller sends. Safe on any thread.
 *
 * <p>Waiting requests go by earliest virtual deadline: arrival plus five times the cost to expect,
 * so that cheap ones do not wait behind heavy ones, and none waits for ever. A request is not bound
 * to a free copy that is over 1.5 times worse than waiting for a better one. Who calls must ask
 * {@link #next} after each answer, and every few milliseconds while something waits.
 *
 * @param <T> requests
 */
public final class LateBinding<T> {
  private static final double PATIENCE = 5;
  private static final double MOST_WORSE = 1.5;
  private static final double RATE_STEP_NANOS = 100e6;

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final ReplicaSelector selector;
  private final AdaptiveRank rank;
  private final LongSupplier nanoTime;
  private final Phase phase = Phase.QUERY;
  private final Map<String, InFlightLimit> limits = new HashMap<>();
  private final Map<Lane, Deque<Waiting<T>>> lanes = new HashMap<>();
  private final Map<String, List<Lane>> lanesOfNode = new HashMap<>();
  private int waiting;
  private double ratePerNano;
  private long rateFrom;
  private int answers;

  /** A request that can be sent now. */
  public record Bound<T>(T request, ShardCopy copy) {}

  private record Lane(long shard, int costClass) {}

  private static final class Waiting<T> {
    final T request;
    final ShardCopy[] copies;
    final double deadline;

    Waiting(T request, ShardCopy[] copies, double deadline) {
      this.request = request;
      this.copies = copies;
      this.deadline = deadline;
    }
  }

  /** Makes one without anything waiting. */
  public LateBinding(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      ReplicaSelector selector,
      LongSupplier nanoTime) {
    this.tracker = tracker;
    this.policy = policy;
    this.selector = selector;
    this.rank = new AdaptiveRank(tracker, policy);
    this.nanoTime = nanoTime;
    this.rateFrom = nanoTime.getAsLong();
  }

  /**
   * Takes a request.
   *
   * @param copies at least one; kept and put in order
   * @return where to send it now; null when it is kept
   */
  public synchronized @Nullable ShardCopy offer(
      T request, ShardCopy[] copies, long shard, int costClass) {
    Lane lane = new Lane(shard, costClass);
    if (!lanes.containsKey(lane)) {
      ShardCopy copy = bind(copies);
      if (copy != null) {
        return copy;
      }
    }
    Deque<Waiting<T>> queue = lanes.get(lane);
    if (queue == null) {
      queue = new ArrayDeque<>();
      lanes.put(lane, queue);
      for (ShardCopy copy : copies) {
        lanesOfNode.computeIfAbsent(copy.nodeId(), id -> new ArrayList<>()).add(lane);
      }
    }
    double usual = Math.exp(tracker.fleet(phase).logServiceNanos());
    double patience = PATIENCE * tracker.fleet(phase).cost(costClass) * usual;
    queue.add(new Waiting<>(request, copies, nanoTime.getAsLong() + patience));
    waiting++;
    return null;
  }

  /** Learns from an answer, before {@link #next} is asked; the queue is negative when unknown. */
  public synchronized void answered(NodeLoads.Outstanding answered, int queue) {
    if (!(answered instanceof Exchange exchange)) {
      return;
    }
    long now = nanoTime.getAsLong();
    answers++;
    if (now - rateFrom > RATE_STEP_NANOS) {
      double rate = answers / (double) (now - rateFrom);
      ratePerNano = ratePerNano == 0 ? rate : (ratePerNano + rate) / 2;
      rateFrom = now;
      answers = 0;
    }
    if (queue >= 0) {
      int own = exchange.state.outstanding() + 1;
      long response = now - exchange.sentAtNanos;
      limit(exchange.state).replied(queue, own, waiting > 0, response, now);
    }
  }

  /** The next waiting request that can be sent now that a node answered; null for none. */
  public synchronized @Nullable Bound<T> next(String nodeId) {
    if (waiting == 0 || !hasRoom(tracker.state(nodeId, phase))) {
      return null;
    }
    Lane first = null;
    double earliest = 0;
    for (Lane lane : lanesOfNode.getOrDefault(nodeId, List.of())) {
      double deadline = head(lane).deadline;
      if (first == null || deadline < earliest) {
        first = lane;
        earliest = deadline;
      }
    }
    if (first == null) {
      return null;
    }
    Waiting<T> head = head(first);
    ShardCopy copy = bind(head.copies);
    if (copy == null) {
      return null;
    }
    remove(first, head);
    return new Bound<>(head.request, copy);
  }

  /** How many requests wait. */
  public synchronized int waiting() {
    return waiting;
  }

  private @Nullable ShardCopy bind(ShardCopy[] copies) {
    selector.order(copies, copies.length, phase);
    long now = nanoTime.getAsLong();
    double bestFull = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : copies) {
      NodeState state = tracker.state(copy.nodeId(), phase);
      if (!hasRoom(state)) {
        bestFull = Math.min(bestFull, rank.of(state, now));
      } else if (bestFull == Double.POSITIVE_INFINITY || ratePerNano == 0) {
        return copy;
      } else {
        double wait = (waiting + 1) / ratePerNano;
        boolean worse = rank.of(state, now) > MOST_WORSE * (bestFull + wait);
        return worse || state.faults().ejected() ? null : copy;
      }
    }
    return null;
  }

  private boolean hasRoom(NodeState state) {
    return !state.slowStartIsFull(policy.health()) && limit(state).hasRoom(state.outstanding());
  }

  private InFlightLimit limit(NodeState state) {
    return limits.computeIfAbsent(state.nodeId, id -> new InFlightLimit(state.threads()));
  }

  private Waiting<T> head(Lane lane) {
    Deque<Waiting<T>> queue = lanes.get(lane);
    if (queue == null) {
      throw new IllegalStateException("got no queue of " + lane + " (expected: one of a lane)");
    }
    return queue.element();
  }

  private void remove(Lane lane, Waiting<T> head) {
    Deque<Waiting<T>> queue = lanes.get(lane);
    if (queue != null) {
      queue.remove();
      waiting--;
      if (queue.isEmpty()) {
        lanes.remove(lane);
        for (ShardCopy copy : head.copies) {
          List<Lane> of = lanesOfNode.getOrDefault(copy.nodeId(), List.of());
          of.remove(lane);
        }
      }
    }
  }
}
