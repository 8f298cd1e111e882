package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.routing.estimate.C3Averages;
import dev.weir.routing.estimate.FailureHistory;
import dev.weir.routing.estimate.FleetStatistics;
import dev.weir.routing.estimate.NodeQueueEstimator;
import dev.weir.routing.estimate.NodeResiduals;
import dev.weir.routing.estimate.RepeatedReportDetector;
import dev.weir.routing.estimate.ServiceTimeEstimator;
import dev.weir.routing.estimate.StallHistory;
import dev.weir.routing.score.AdaptiveScore;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The learned state of one node in one phase. Updates hold its lock; fields that selectors read are
 * volatile. Safe on any thread.
 */
final class NodePhaseState {
  /** The assumed weight of the newest request in the average service time that a node reports. */
  private static final double NEWEST_WEIGHT = 0.3;

  private static final double AVERAGE_COST_GAIN = 0.05;
  private static final double MIN_COST = 0.05;

  final String nodeId;
  final Phase phase;
  private final List<NodePhaseState> allPhases;

  /** Whether phases of the node may count calls that others lost. Set after they counted them. */
  private final AtomicBoolean hasLosses;

  private final FleetStatistics fleet;
  private final ThreadCount threads;

  // guarded by this
  private ServiceTimeEstimator service = new ServiceTimeEstimator();
  private NodeQueueEstimator queue = new NodeQueueEstimator();

  /** The average cost of the requests that the node answered. */
  private double averageCost = 1;

  private final RepeatedReportDetector repeats = new RepeatedReportDetector();

  /** Updates are guarded by this. */
  private final TrackedRequest.Outstanding requests = new TrackedRequest.Outstanding();

  private volatile int outstanding;

  private volatile int sentSinceReport;
  private volatile long unmeasuredAtNanos;

  /** Written after {@link #unmeasuredAtNanos}. */
  private volatile boolean wasUnmeasured;

  private volatile long sentAtNanos;
  private volatile long answeredAtNanos;

  /** Written after {@link #answeredAtNanos}. */
  private volatile boolean hasAnswered;

  /** The oldest abandoned request, if the node has not answered since. */
  private volatile @Nullable TrackedRequest oldestAbandoned;

  /** Updates are guarded by this. */
  private volatile NodeResiduals residuals = new NodeResiduals();

  private volatile LoadEstimate loadEstimate = LoadEstimate.NONE;
  private volatile C3Averages c3Averages = C3Averages.NONE;
  private volatile FailureHistory failures = FailureHistory.NONE;

  /** Updates are guarded by this. */
  private final StallDetector stalls;

  /** The number of threads of a node's pool; may become known later. */
  interface ThreadCount {
    int count();
  }

  NodePhaseState(
      List<NodePhaseState> allPhases,
      AtomicBoolean hasLosses,
      String nodeId,
      Phase phase,
      FleetStatistics fleet,
      ThreadCount threads) {
    this.allPhases = allPhases;
    this.hasLosses = hasLosses;
    this.nodeId = nodeId;
    this.phase = phase;
    this.fleet = fleet;
    this.threads = threads;
    this.stalls = new StallDetector(fleet, threads, requests, this::load);
  }

  int outstanding() {
    return outstanding;
  }

  LoadEstimate loadEstimate() {
    return loadEstimate;
  }

  C3Averages c3Averages() {
    return c3Averages;
  }

  FailureHistory failures() {
    return failures;
  }

  int threads() {
    return threads.count();
  }

  /** Returns L, the estimated number of requests at the node. */
  double load(long now) {
    LoadEstimate known = loadEstimate;
    double fresh =
        AdaptiveScore.freshness((double) now - known.reportedAtNanos(), known.serviceNanos());
    return AdaptiveScore.load(
        outstanding,
        known.othersLoad(),
        known.queueSize(),
        sentSinceReport,
        threads.count(),
        fresh);
  }

  /**
   * Returns the expected response time of a request sent now; 1 ms for each outstanding request
   * while nothing is known.
   */
  double expectedNanos(int costClass, long now) {
    LoadEstimate known = loadEstimate;
    return known.samples() == 0
        ? unknownNanos()
        : expectedNanos(known, costClass, fleet.cost(costClass), load(now));
  }

  private double expectedNanos(LoadEstimate known, int costClass, double cost, double load) {
    return AdaptiveScore.expectedNanos(
        known.serviceNanos(), cost, load, threads.count(), residuals.nanos(costClass));
  }

  private double unknownNanos() {
    return 1e6 * (1 + outstanding);
  }

  /** Returns c, the cost of a class of requests relative to the mean. */
  double cost(int costClass) {
    return fleet.cost(costClass);
  }

  /** Returns b, the time that responses to a class of requests take beyond the prediction. */
  double residualNanos(int costClass) {
    return residuals.nanos(costClass);
  }

  /**
   * Returns how much longer than expected the node has been silent with a request outstanding.
   *
   * @param since silence before this moment is a pause of the gateway
   */
  double silenceNanos(long now, long since) {
    TrackedRequest oldest = oldestUnanswered();
    return oldest == null
        ? 0
        : NodeSilence.beyond(
            oldest.sentAtNanos,
            oldest.expectedNanos,
            lastAnswerNanos(oldest.sentAtNanos),
            now,
            since);
  }

  /** Returns when the node last answered, also with an error; {@code otherwise} if it never has. */
  long lastAnswerNanos(long otherwise) {
    return hasAnswered ? answeredAtNanos : otherwise;
  }

  private void noteAnswer(long now) {
    answeredAtNanos = now;
    hasAnswered = true;
    oldestAbandoned = null;
  }

  /** Returns the oldest request since the last answer, outstanding or abandoned; or null. */
  @Nullable TrackedRequest oldestUnanswered() {
    TrackedRequest first = oldestAbandoned;
    return first == null ? requests.oldest() : first;
  }

  /**
   * Returns true if this gateway has no request at the node and got no response for this long. A
   * node that has never been asked is not stale: it is unknown.
   */
  boolean isStale(long now, long nanos) {
    boolean wasAsked = loadEstimate.samples() > 0 || oldestAbandoned != null;
    return outstanding == 0
        && wasAsked
        && now - NodeSilence.latest(lastNewsNanos(), sentAtNanos) > nanos;
  }

  /** Returns when the node last responded; if it never has, when it was last asked. */
  long lastNewsNanos() {
    LoadEstimate known = loadEstimate;
    return known.samples() > 0 ? known.repliedAtNanos() : sentAtNanos;
  }

  /** Returns true if the node keeps standing still, and it is time to see whether it still does. */
  boolean isSteadinessTestDue(long now) {
    StallHistory history = stalls.history();
    return history.unsteady() && isStale(now, history.testIntervalNanos());
  }

  /**
   * Adds a request to the list.
   *
   * @param staleAfterNanos the silence after which the request counts as an exploration
   */
  synchronized TrackedRequest startRequest(
      TrackedRequest.OutcomeListener listener, int costClass, long now, long staleAfterNanos) {
    NodeLoadRecorder.TrialReason trial = NodeLoadRecorder.TrialReason.NONE;
    if (failures.ejected()) {
      trial = NodeLoadRecorder.TrialReason.EJECTION_PROBE;
    } else if (isStale(now, staleAfterNanos) || isSteadinessTestDue(now)) {
      trial = NodeLoadRecorder.TrialReason.EXPLORATION;
    }
    TrackedRequest sent =
        new TrackedRequest(listener, this, now, costClass, predict(costClass, now), trial);
    requests.add(sent);
    outstanding++;
    sentSinceReport++;
    sentAtNanos = now;
    return sent;
  }

  private TrackedRequest.Prediction predict(int costClass, long now) {
    LoadEstimate known = loadEstimate;
    double cost = fleet.cost(costClass);
    double load = load(now);
    double predicted =
        AdaptiveScore.predictedNanos(known.serviceNanos(), cost, load, threads.count());
    if (known.samples() == 0) {
      double unknown =
          fleet.logServiceNanos() > 0 ? 2 * Math.exp(fleet.logServiceNanos()) : unknownNanos();
      return new TrackedRequest.Prediction(unknown, predicted, unknown);
    }
    double expected = Math.max(0.5e6, expectedNanos(known, costClass, cost, load));
    double inOrder =
        AdaptiveScore.inOrderNanos(known.serviceNanos(), cost, load, threads.count())
            + residuals.nanos(costClass);
    return new TrackedRequest.Prediction(expected, predicted, Math.clamp(inOrder, 0.5e6, expected));
  }

  /** Removes a request from the list; returns whether it was still there. */
  synchronized boolean finish(TrackedRequest exchange) {
    if (!requests.remove(exchange)) {
      return false;
    }
    outstanding--;
    return true;
  }

  /**
   * Removes a request without a response: the node stays silent until it answers another one.
   *
   * @param since waiting before this moment is a pause of the gateway
   */
  synchronized boolean abandon(TrackedRequest exchange, long now, long since) {
    boolean unanswered = exchange.sentAtNanos - lastAnswerNanos(exchange.sentAtNanos) >= 0;
    boolean late = now - exchange.sentAtNanos > 2 * exchange.expectedNanos + 1e6;
    if (!finish(exchange)) {
      return false;
    }
    if (unanswered && late && oldestAbandoned == null) {
      oldestAbandoned = exchange;
      stalls.onAbandon(exchange, queue.size(), loadEstimate, now, since);
    }
    return true;
  }

  /**
   * Learns from the response to a request that has just finished.
   *
   * @param responseNanos its response time, without a pause of this process
   * @param newsAfter a response after this long a silence has a high weight
   * @param since waiting before this moment is a pause of the gateway
   */
  synchronized void onResponse(
      TrackedRequest exchange,
      LoadReport report,
      long responseNanos,
      long now,
      long newsAfter,
      long since,
      RoutingPolicy policy) {
    long waitingSince = NodeSilence.latest(lastAnswerNanos(since), since);
    stalls.onResponse(exchange, report, loadEstimate, now, waitingSince);
    stalls.addResponseTime(responseNanos);
    boolean repeated = report.serviceNanos() > 0 && repeats.isRepeat(report.serviceNanos());
    LoadReport news = repeated ? LoadReport.NOTHING : report;
    boolean back = failures.ejected();
    if (back) {
      // a node that returns starts slowly, like an unknown one
      resetTimings();
    }
    c3Averages =
        c3Averages.withResponse(
            responseNanos, news.queueSize(), news.serviceNanos(), now, policy.c3());
    learn(exchange, responseNanos, news, now, newsAfter);
    failures = failures.withSuccess(now, policy.health());
  }

  /** Records that the node is alive, without any measure of its speed. */
  synchronized void onResponseWithoutStats(long now, RoutingPolicy policy) {
    if (failures.ejected()) {
      resetTimings();
    }
    noteAnswer(now);
    noteUnmeasured(now);
    publish(loadEstimate.samples(), now);
    failures = failures.withSuccess(now, policy.health());
  }

  private void noteUnmeasured(long now) {
    unmeasuredAtNanos = now;
    wasUnmeasured = true;
  }

  /** Returns true if the node keeps standing still; see {@link StallHistory}. */
  boolean isUnsteady() {
    return stalls.history().unsteady();
  }

  private void learn(
      TrackedRequest exchange, long response, LoadReport news, long now, long newsAfter) {
    int own = outstanding + 1;
    double cost = fleet.cost(exchange.costClass);
    LoadEstimate before = loadEstimate;
    boolean stale =
        before.samples() > 0 && exchange.sentAtNanos - before.repliedAtNanos() > newsAfter;
    // a node reports an average of its recent requests: this one and earlier ones
    double weight = NEWEST_WEIGHT * cost + (1 - NEWEST_WEIGHT) * averageCost;
    averageCost += AVERAGE_COST_GAIN * (cost - averageCost);
    double sample = Math.max(0L, news.serviceNanos()) / Math.max(MIN_COST, weight);
    double alone = response / Math.max(MIN_COST, cost);
    if (sample == 0 && (before.samples() == 0 || c3Averages.serviceNanos() == 0)) {
      // the phase reports no service time: use the response time
      sample = alone;
    }
    if (sample > 0) {
      if (stale) {
        service.addAfterSilence(Math.min(sample, alone));
        residuals.halve();
      } else {
        service.add(sample);
      }
      fleet.addServiceTime(service.logNanos());
    }
    if (before.samples() > 0) {
      residuals.add(
          exchange.costClass, (double) response, exchange.predictedNanos, before.serviceNanos());
    }
    double slowness = Math.exp(service.logNanos() - fleet.logServiceNanos());
    if (news.queueSize() >= 0) {
      queue.onReport(news.queueSize(), own, threads.count(), now);
    } else {
      queue.onUnreportedResponse();
    }
    if (news.queueSize() == 0 || (c3Averages.serviceNanos() == 0 && own <= threads.count())) {
      fleet.cost(exchange.costClass, response / slowness);
    }
    if (news.queueSize() >= 0 || !queue.hasReport()) {
      sentSinceReport = 0;
    }
    noteAnswer(now);
    publish(before.samples() + 1, now);
  }

  private void publish(long samples, long repliedAt) {
    double s = service.nanosShrunkToward(fleet.logServiceNanos());
    residuals.publish(s);
    loadEstimate =
        new LoadEstimate(
            samples, s, queue.size(), queue.othersLoad(), queue.reportedAtNanos(), repliedAt);
  }

  synchronized void onRejection(long now, RoutingPolicy.C3 policy) {
    c3Averages = c3Averages.withRejection(now, policy);
    queue.onRejection(threads.count(), now);
    sentSinceReport = 0;
    noteUnmeasured(now);
    LoadEstimate known = loadEstimate;
    loadEstimate =
        new LoadEstimate(
            known.samples(),
            known.serviceNanos(),
            queue.size(),
            queue.othersLoad(),
            now,
            known.repliedAtNanos());
  }

  synchronized void onFailure(
      boolean answered, long now, double luck, RoutingPolicy.Health policy) {
    if (answered) {
      noteAnswer(now);
    }
    failures = failures.withFailure(answered, now, luck, policy);
  }

  /** Records that a call was not sent or lost its connection: that counts in all phases. */
  void onUnreachable(long now, RandomGenerator random, RoutingPolicy.Health policy) {
    for (NodePhaseState each : allPhases) {
      double luck = random.nextDouble();
      if (each.phase == phase) {
        each.onFailure(false, now, luck, policy);
      } else {
        each.onLossElsewhere(now, luck, policy);
      }
    }
    hasLosses.set(true);
  }

  private synchronized void onLossElsewhere(long now, double luck, RoutingPolicy.Health policy) {
    failures = failures.withLossElsewhere(now, luck, policy);
  }

  /** Records that a call has succeeded: no phase counts any more what others lost. */
  void onReachable(RoutingPolicy.Health policy) {
    if (hasLosses.get()) {
      hasLosses.set(false); // before the phases forget: what is lost meanwhile sets it again
      allPhases.forEach(each -> each.forgetLossesElsewhere(policy));
    }
  }

  private synchronized void forgetLossesElsewhere(RoutingPolicy.Health policy) {
    boolean wasEjected = failures.ejected();
    failures = failures.withoutLossesElsewhere(policy);
    if (wasEjected && !failures.ejected()) {
      resetTimings();
    }
  }

  /** Takes the one probe after an ejection, if the node awaits it; only one caller gets it. */
  boolean takeProbe(long now, double luck, RoutingPolicy.Health policy) {
    if (!failures.isAwaitingProbe(now)) {
      return false;
    }
    synchronized (this) {
      FailureHistory history = failures;
      if (!history.isAwaitingProbe(now)) {
        return false;
      }
      failures = history.withProbe(now, luck, policy);
      return true;
    }
  }

  /**
   * Returns true if a node with so few responses already has its maximum of outstanding requests.
   * An unknown node that rejects, or answers without a measure, has it for a while: its next
   * request would come at once, and a node that refuses everything is quick to ask for more.
   */
  boolean isSlowStartFull(RoutingPolicy.Health policy, long now) {
    long samples = loadEstimate.samples();
    if (samples == 0
        && wasUnmeasured
        && now - unmeasuredAtNanos < policy.exploration().minIdleTime().toNanos()) {
      return true;
    }
    if (samples >= policy.maxSlowStartRequests()) {
      return false;
    }
    long maxRequests = samples >= 31 ? policy.maxSlowStartRequests() : 1L << samples;
    return outstanding >= Math.min(maxRequests, policy.maxSlowStartRequests());
  }

  private void resetTimings() {
    c3Averages = C3Averages.NONE;
    stalls.reset();
    service = new ServiceTimeEstimator();
    residuals = new NodeResiduals();
    averageCost = 1;
    queue = new NodeQueueEstimator();
    loadEstimate = LoadEstimate.NONE;
  }
}
