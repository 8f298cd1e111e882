package dev.weir.bench.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data node: a pool of threads behind one queue. With each response it reports the queue's length
 * and an average of service times (gain 0.3), as OpenSearch does.
 */
final class SimulatedNode {
  private static final int MAX_QUEUED = 1000;
  private static final double GAIN = 0.3;
  private static final double HICCUP_NANOS = 300e6;
  private static final double CACHE_HIT_NANOS = 100_000;
  private static final long FAILS_AFTER_NANOS = 200_000;

  final int index;
  final String id;
  final int threads;

  /** The factor of all work relative to normal speed. */
  double slowFactor = 1;

  /** A further factor for heavy work. */
  double heavySlowFactor = 1;

  /** The fraction of the service time that it reports. */
  double reports = 1;

  /** The fraction of its responses that are delayed by {@link #HICCUP_NANOS}. */
  double hiccupRate;

  boolean failing;
  boolean absent;

  /** Whether the oracle never selects it. */
  boolean excluded;

  long extraNetworkNanos;
  long pausedUntil;
  long cacheLookups;
  long cacheHits;
  final Deque<SimulatedAttempt> queue = new ArrayDeque<>();
  final List<SimulatedAttempt> running = new ArrayList<>();

  /** Requests in transit to it. */
  final List<SimulatedAttempt> arriving = new ArrayList<>();

  /** Response times by load, as Prequal's servers keep them. */
  final LatencyByLoad latencyByLoad = new LatencyByLoad();

  private final EventSimulator engine;
  private final SimulatedNetwork network;
  private final Map<Long, CachedReport> cache;
  private double averageNanos;

  /** The report of the node when a cached response was created. */
  private record CachedReport(int waiting, long serviceNanos) {}

  SimulatedNode(
      EventSimulator engine, SimulatedNetwork network, int index, int threads, int cacheEntries) {
    this.engine = engine;
    this.network = network;
    this.cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, CachedReport> eldest) {
            return size() > cacheEntries;
          }
        };
    this.index = index;
    this.id = "n" + index;
    this.threads = threads;
  }

  /** Pauses for a time, running requests included. */
  void pause(double seconds) {
    long now = engine.nowNanos();
    if (now < pausedUntil) {
      return;
    }
    long nanos = EventSimulator.seconds(seconds);
    pausedUntil = now + nanos;
    for (SimulatedAttempt attempt : running) {
      attempt.finishNanos += nanos;
      attempt.workNanos += nanos; // nodes measure wall-clock time
    }
    engine.schedule(pausedUntil, this::startNext);
  }

  void onArrival(SimulatedAttempt attempt) {
    arriving.remove(attempt);
    attempt.arrivedNanos = engine.nowNanos();
    attempt.loadAtArrival = load();
    if (failing) {
      engine.scheduleAfter(
          FAILS_AFTER_NANOS, () -> respond(attempt, SimulatedAttempt.Status.ERROR, -1, -1));
    } else if (queue.size() >= MAX_QUEUED) {
      respond(attempt, SimulatedAttempt.Status.REJECTED, -1, -1);
    } else {
      queue.add(attempt);
      startNext();
    }
  }

  /** Returns the requests that wait. */
  List<SimulatedAttempt> queued() {
    return List.copyOf(queue);
  }

  /** Returns the number of requests that run or wait. */
  int load() {
    return running.size() + queue.size();
  }

  private void startNext() {
    long now = engine.nowNanos();
    while (now >= pausedUntil && running.size() < threads && !queue.isEmpty()) {
      SimulatedAttempt attempt = queue.remove();
      if (!attempt.cancelled) {
        boolean heldUp = network.occurs(hiccupRate);
        attempt.workNanos = workNanos(attempt.request) + (heldUp ? HICCUP_NANOS : 0);
        attempt.finishNanos = now + (long) attempt.workNanos;
        running.add(attempt);
        engine.schedule(attempt.finishNanos, () -> onFinish(attempt));
      }
    }
  }

  /** Returns the work of a request on this node, in nanoseconds. */
  double workNanos(SimulatedShardRequest request) {
    return workNanos(request, request.costNanos);
  }

  /** Returns the work of a request on this node if it had this cost at normal speed. */
  double workNanos(SimulatedShardRequest request, double costNanos) {
    double times = request.costClass > 0 ? slowFactor * heavySlowFactor : slowFactor;
    return (isCached(request) ? CACHE_HIT_NANOS : costNanos) * times;
  }

  private boolean isCached(SimulatedShardRequest request) {
    return request.cacheKey >= 0 && cache.containsKey(request.cacheKey);
  }

  private void onFinish(SimulatedAttempt attempt) {
    if (attempt.finishNanos > engine.nowNanos()) {
      engine.schedule(attempt.finishNanos, () -> onFinish(attempt));
      return;
    }
    int waiting = queue.size();
    averageNanos =
        averageNanos == 0
            ? attempt.workNanos
            : averageNanos + GAIN * (attempt.workNanos - averageNanos);
    running.remove(attempt);
    latencyByLoad.add(attempt.loadAtArrival, engine.nowNanos() - attempt.arrivedNanos);
    startNext();
    CachedReport now = new CachedReport(waiting, (long) (averageNanos * reports));
    CachedReport cached = attempt.request.cacheKey < 0 ? null : cache.get(attempt.request.cacheKey);
    if (attempt.request.cacheKey >= 0) {
      cacheLookups++;
      cacheHits += cached != null ? 1 : 0;
    }
    if (cached == null && attempt.request.cacheKey >= 0) {
      cache.put(attempt.request.cacheKey, now);
    }
    // A cached response repeats the node's report from when it was created.
    CachedReport report = cached == null ? now : cached;
    respond(attempt, SimulatedAttempt.Status.OK, report.waiting(), report.serviceNanos());
  }

  private void respond(
      SimulatedAttempt attempt, SimulatedAttempt.Status status, int waiting, long serviceNanos) {
    engine.scheduleAfter(
        network.drawDelayNanos() + extraNetworkNanos,
        () -> attempt.listener.onResponse(attempt, status, waiting, serviceNanos));
  }
}
