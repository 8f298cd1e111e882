package dev.weir.routing;

import dev.weir.routing.estimate.FleetStatistics;
import dev.weir.routing.estimate.StallHistory;
import java.util.function.LongToDoubleFunction;

/**
 * Detects that a node in one phase stood still while requests waited for it: it sent no response
 * for over five times as long as usual, and its requests together waited for over twelve times as
 * long. A healthy node whose responses come at random times does that with a probability of e^-12 a
 * response, and three times within seconds hardly ever. A test of an unsteady node is alone and
 * needs only the first.
 *
 * <p>Updates are guarded by the {@link NodePhaseState} that owns it; any thread may read the
 * history. All times are in nanoseconds.
 */
final class StallDetector {
  /** A stall is a silence of at least so many usual response times. */
  private static final double STALL_FACTOR = 5;

  /** The requests that wait during a stall wait for at least so many usual response times. */
  private static final double STALL_SUM_FACTOR = 12;

  /** The least usual response time: silences of under 5 ms are no stalls. */
  private static final double MIN_USUAL_NANOS = 1e6;

  /** By how much a slower response raises the fastest response time, at most. */
  private static final double FASTEST_GAIN = 0.01;

  private final FleetStatistics fleet;
  private final NodePhaseState.ThreadCount threads;
  private final TrackedRequest.Outstanding requests;
  private final LongToDoubleFunction load;

  private volatile StallHistory history = StallHistory.NONE;

  /** The response time of fast responses, with the network; 0 until known. */
  private double fastestNanos;

  /**
   * Creates the detector of a node that never stood still.
   *
   * @param requests the node's outstanding requests
   * @param load returns the estimated number of requests at the node at a moment
   */
  StallDetector(
      FleetStatistics fleet,
      NodePhaseState.ThreadCount threads,
      TrackedRequest.Outstanding requests,
      LongToDoubleFunction load) {
    this.fleet = fleet;
    this.threads = threads;
    this.requests = requests;
    this.load = load;
  }

  /** Returns how often the node stood still lately. */
  StallHistory history() {
    return history;
  }

  /** Forgets everything, as for an unknown node. */
  void reset() {
    history = StallHistory.NONE;
    fastestNanos = 0;
  }

  /**
   * Judges whether the node has just stood still before a response.
   *
   * @param answered the request that got the response, already finished
   * @param known what was known of the node before the response
   * @param since waiting before this moment does not count: the node answered another request, or
   *     the gateway paused
   */
  void onResponse(
      TrackedRequest answered, LoadReport report, LoadEstimate known, long now, long since) {
    if (known.samples() == 0) {
      return;
    }
    double longest = Math.max(0, (double) now - NodeSilence.latest(since, answered.sentAtNanos));
    TrackedRequest oldest = requests.oldest();
    double older =
        oldest == null ? 0 : (double) now - NodeSilence.latest(since, oldest.sentAtNanos);
    if (Math.max(longest, older) <= STALL_FACTOR * MIN_USUAL_NANOS) {
      history = history.withSteadyResponse(now);
      return;
    }
    double waited = longest;
    double cost = Math.max(1, fleet.cost(answered.costClass));
    TrackedRequest each = oldest;
    for (int i = 1; i < threads.count() && each != null; i++) {
      double own = Math.max(0, (double) now - NodeSilence.latest(since, each.sentAtNanos));
      longest = Math.max(longest, own);
      waited += own;
      cost = Math.max(cost, fleet.cost(each.costClass));
      each = each.newer;
    }
    double usual = usualNanos(cost, Math.max(report.queueSize(), known.queueSize()), known, now);
    history =
        isStall(longest, waited, usual)
            ? history.withStall(longest, now)
            : history.withSteadyResponse(now);
  }

  /** Learns how fast the node's fast responses are. */
  void addResponseTime(long nanos) {
    fastestNanos =
        nanos < fastestNanos || fastestNanos == 0
            ? nanos
            : fastestNanos + FASTEST_GAIN * Math.min(fastestNanos, nanos - fastestNanos);
  }

  /**
   * Judges whether the node stood still during a request that was abandoned without a response.
   *
   * @param queued the estimated queue of the node
   * @param known what is known of the node
   * @param since waiting before this moment is a pause of the gateway
   */
  void onAbandon(
      TrackedRequest abandoned, double queued, LoadEstimate known, long now, long since) {
    double silence = (double) now - NodeSilence.latest(abandoned.sentAtNanos, since);
    double cost = Math.max(1, fleet.cost(abandoned.costClass));
    if (isStall(silence, silence, usualNanos(cost, queued, known, now))) {
      history = history.withStall(silence, now);
    }
  }

  private boolean isStall(double longest, double waited, double usual) {
    return longest > STALL_FACTOR * usual
        && (history.unsteady() || waited > STALL_SUM_FACTOR * usual);
  }

  /**
   * Returns how long a response usually takes, behind the present queue: the network's part is that
   * of the node's fast responses, since the mean of a node that stands still includes its stalls.
   */
  private double usualNanos(double cost, double queued, LoadEstimate known, long now) {
    double service =
        Math.max(
            Math.max(MIN_USUAL_NANOS, fastestNanos),
            Math.max(known.serviceNanos(), Math.exp(fleet.logServiceNanos())));
    int k = threads.count();
    return service * (cost + Math.max(0, Math.max(queued, load.applyAsDouble(now) - k)) / k);
  }
}
