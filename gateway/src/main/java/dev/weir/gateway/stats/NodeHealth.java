package dev.weir.gateway.stats;

import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.model.DisplayFormat;
import dev.weir.routing.NodeLoadSnapshot;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a node does, in a word, and what the gateway knows that says so. The words, the worst first:
 *
 * <pre>
 *   lost       no connection
 *   drained    an operator drained it
 *   ejected    calls failed several times in a row; it is asked last
 *   stalled    silent for longer than expected, with calls outstanding
 *   unsteady   keeps standing still; it gets one call at a time
 *   slow       takes over twice as long as the other nodes
 *   reduced    an operator lets it have less than its usual share, or its share still rises
 *   busy       as many calls in flight as its limit allows; requests wait for it
 *   unused     no response so far
 *   healthy    none of these
 * </pre>
 *
 * @param word one of these
 * @param reason a sentence with the measured values
 */
record NodeHealth(String word, String reason) {
  /** A node is stalled after so much more silence than expected. */
  private static final double MIN_SILENCE_NANOS = 500e6;

  /** A node is slow if it takes so many times as long as the other nodes. */
  private static final double SLOW_FACTOR = 2;

  /** A node is slow only if it takes so much longer than the other nodes. */
  private static final double MIN_SLOW_NANOS = 5e6;

  /** The responses that make an average worth a comparison. */
  private static final int MIN_SAMPLES = 20;

  /** Averages without a response for so long say nothing about now. */
  private static final long MAX_AGE_NANOS = 60_000_000_000L;

  /**
   * Judges a node.
   *
   * @param openChannels to the node
   * @param weight the share of its usual requests that an operator lets it have, 0 to 1
   * @param loads of all nodes of the cluster, by phase
   * @param limiters of all nodes of the cluster
   */
  static NodeHealth of(
      String nodeId,
      int openChannels,
      double weight,
      List<NodeLoadSnapshot> loads,
      List<NodeConcurrencyLimiter> limiters) {
    if (openChannels == 0) {
      return new NodeHealth("lost", "the gateway has no connection to it");
    }
    if (weight <= 0) {
      return new NodeHealth(
          "drained", "an operator drained it: it gets only what no other node can do");
    }
    List<NodeLoadSnapshot> own =
        loads.stream().filter(load -> load.nodeId().equals(nodeId)).toList();
    NodeHealth trouble = ejected(own);
    trouble = trouble == null ? stalled(own) : trouble;
    trouble = trouble == null ? unsteady(own) : trouble;
    trouble = trouble == null ? slow(own, loads) : trouble;
    if (trouble == null && weight < 1) {
      trouble =
          new NodeHealth(
              "reduced",
              String.format(
                  Locale.ROOT, "it gets %.0f %% of its usual requests now", 100 * weight));
    }
    trouble = trouble == null ? busy(nodeId, limiters) : trouble;
    if (trouble != null) {
      return trouble;
    }
    long samples = own.stream().mapToLong(load -> load.health().samples()).sum();
    return samples == 0
        ? new NodeHealth("unused", "it has answered no call of this gateway so far")
        : new NodeHealth("healthy", "it answers as expected");
  }

  private static @Nullable NodeHealth ejected(List<NodeLoadSnapshot> own) {
    for (NodeLoadSnapshot load : own) {
      if (load.health().ejected()) {
        double seconds = load.health().ejectedNanos() / 1e9;
        String next =
            seconds > 0
                ? String.format(Locale.ROOT, "asked again in %.0f s", Math.ceil(seconds))
                : "the next call shows whether it is back";
        return new NodeHealth(
            "ejected", phase(load) + " calls failed several times in a row: " + next);
      }
    }
    return null;
  }

  private static @Nullable NodeHealth stalled(List<NodeLoadSnapshot> own) {
    for (NodeLoadSnapshot load : own) {
      double silence = load.health().silenceNanos();
      // a call that was given up may stay without a response: nobody waits for it
      if (silence >= MIN_SILENCE_NANOS && load.load().outstanding() > 0) {
        return new NodeHealth(
            "stalled",
            String.format(
                Locale.ROOT,
                "no response to %d %s calls for %.1f s longer than expected",
                load.load().outstanding(),
                phase(load),
                silence / 1e9));
      }
    }
    return null;
  }

  private static @Nullable NodeHealth unsteady(List<NodeLoadSnapshot> own) {
    for (NodeLoadSnapshot load : own) {
      if (load.health().unsteady()) {
        return new NodeHealth(
            "unsteady",
            phase(load) + " calls stand still again and again: one at a time goes to it");
      }
    }
    return null;
  }

  private static @Nullable NodeHealth slow(
      List<NodeLoadSnapshot> own, List<NodeLoadSnapshot> loads) {
    for (NodeLoadSnapshot load : own) {
      double others = medianOfOthers(load, loads);
      double response = load.load().responseNanos();
      if (isMeasured(load)
          && others > 0
          && response > SLOW_FACTOR * others
          && response - others > MIN_SLOW_NANOS) {
        return new NodeHealth(
            "slow",
            String.format(
                Locale.ROOT,
                "%s calls take %.0f ms, %.1f times as long as on the other nodes",
                phase(load),
                response / 1e6,
                response / others));
      }
    }
    return null;
  }

  private static boolean isMeasured(NodeLoadSnapshot load) {
    return load.health().samples() >= MIN_SAMPLES
        && load.health().sinceReplyNanos() <= MAX_AGE_NANOS;
  }

  /** The median response time of the other nodes in the phase; 0 without any. */
  private static double medianOfOthers(NodeLoadSnapshot load, List<NodeLoadSnapshot> loads) {
    double[] times =
        loads.stream()
            .filter(other ->
                other.phase() == load.phase()
                    && !other.nodeId().equals(load.nodeId())
                    && isMeasured(other))
            .mapToDouble(other -> other.load().responseNanos())
            .sorted()
            .toArray();
    return times.length == 0 ? 0 : times[times.length / 2];
  }

  private static @Nullable NodeHealth busy(String nodeId, List<NodeConcurrencyLimiter> limiters) {
    for (NodeConcurrencyLimiter limiter : limiters) {
      int calls = limiter.inFlight() + limiter.reserved();
      if (limiter.nodeId().equals(nodeId) && calls >= limiter.limit()) {
        return new NodeHealth(
            "busy",
            String.format(
                Locale.ROOT,
                "%d %s calls in flight, limit %.1f: further requests wait for it",
                calls,
                limiter.threadPool().label(),
                limiter.limit()));
      }
    }
    return null;
  }

  private static String phase(NodeLoadSnapshot load) {
    return DisplayFormat.toKebabCase(load.phase());
  }
}
