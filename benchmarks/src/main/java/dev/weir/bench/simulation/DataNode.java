package dev.weir.bench.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data node: a pool of threads behind one queue, which reports the queue's length and an average
 * of service times (gain 0.3) with each answer, as OpenSearch does.
 */
final class DataNode {
  private static final int MOST_QUEUED = 1000;
  private static final double GAIN = 0.3;
  private static final double HICCUP_NANOS = 300e6;
  private static final double HIT_NANOS = 100_000;
  private static final long FAILS_AFTER_NANOS = 200_000;

  final int index;
  final String id;
  final int threads;

  /** How many times longer work takes than normally. */
  double slowness = 1;

  /** How many times longer heavy work takes besides. */
  double heavySlowness = 1;

  /** Which part of the service time it reports. */
  double reports = 1;

  /** How many of its answers something else holds up by {@link #HICCUP_NANOS}. */
  double hiccups;

  boolean failing;
  boolean absent;

  /** Whether the oracle never asks it. */
  boolean avoided;

  long extraNetworkNanos;
  long pausedUntil;
  final Deque<Attempt> queue = new ArrayDeque<>();
  final List<Attempt> running = new ArrayList<>();

  /** What is on its way. */
  final List<Attempt> coming = new ArrayList<>();

  private final World world;
  private final Map<Long, Cached> cache;
  private double averageNanos;

  /** An answer that was kept, with what the node reported then. */
  private record Cached(int waiting, long serviceNanos) {}

  DataNode(World world, int index, int threads, int cacheEntries) {
    this.world = world;
    this.cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Cached> eldest) {
            return size() > cacheEntries;
          }
        };
    this.index = index;
    this.id = "n" + index;
    this.threads = threads;
  }

  /** Stops for a time: what runs is held up too. */
  void pause(double seconds) {
    long now = world.engine.now();
    if (now < pausedUntil) {
      return;
    }
    long nanos = Scenario.seconds(seconds);
    pausedUntil = now + nanos;
    for (Attempt attempt : running) {
      attempt.finishAt += nanos;
      attempt.workNanos += nanos; // nodes measure by the clock on the wall
    }
    world.engine.at(pausedUntil, this::start);
  }

  void arrive(Attempt attempt) {
    coming.remove(attempt);
    if (failing) {
      world.engine.after(FAILS_AFTER_NANOS, () -> answer(attempt, Status.ERROR, -1, -1));
    } else if (queue.size() >= MOST_QUEUED) {
      answer(attempt, Status.REJECTED, -1, -1);
    } else {
      queue.add(attempt);
      start();
    }
  }

  private void start() {
    long now = world.engine.now();
    while (now >= pausedUntil && running.size() < threads && !queue.isEmpty()) {
      Attempt attempt = queue.remove();
      if (!attempt.cancelled) {
        boolean heldUp = hiccups > 0 && world.chance() < hiccups;
        attempt.workNanos = workNanos(attempt.request) + (heldUp ? HICCUP_NANOS : 0);
        attempt.finishAt = now + (long) attempt.workNanos;
        running.add(attempt);
        world.engine.at(attempt.finishAt, () -> finish(attempt));
      }
    }
  }

  /** What a request costs here. */
  double workNanos(ShardRequest request) {
    double times = request.costClass > 0 ? slowness * heavySlowness : slowness;
    return (isCached(request) ? HIT_NANOS : request.costNanos) * times;
  }

  private boolean isCached(ShardRequest request) {
    return request.key >= 0 && cache.containsKey(request.key);
  }

  private void finish(Attempt attempt) {
    if (attempt.finishAt > world.engine.now()) {
      world.engine.at(attempt.finishAt, () -> finish(attempt));
      return;
    }
    int waiting = queue.size();
    averageNanos =
        averageNanos == 0
            ? attempt.workNanos
            : averageNanos + GAIN * (attempt.workNanos - averageNanos);
    running.remove(attempt);
    start();
    Cached now = new Cached(waiting, (long) (averageNanos * reports));
    Cached kept = attempt.request.key < 0 ? null : cache.get(attempt.request.key);
    if (attempt.request.key >= 0) {
      world.outcome.lookedUp(kept != null);
    }
    if (kept == null && attempt.request.key >= 0) {
      cache.put(attempt.request.key, now);
    }
    // an answer from the cache repeats what the node reported when it was made
    Cached told = kept == null ? now : kept;
    answer(attempt, Status.OK, told.waiting(), told.serviceNanos());
  }

  private void answer(Attempt attempt, Status status, int waiting, long serviceNanos) {
    long network = world.networkNanos() + extraNetworkNanos;
    world.engine.after(
        network, () -> attempt.request.gate.answered(attempt, status, waiting, serviceNanos));
  }

  /** How an attempt ends. */
  enum Status {
    OK,
    ERROR,
    REJECTED
  }
}
