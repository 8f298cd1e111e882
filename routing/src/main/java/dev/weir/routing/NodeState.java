package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.routing.estimate.Faults;
import dev.weir.routing.estimate.Fleet;
import dev.weir.routing.estimate.NodeQueue;
import dev.weir.routing.estimate.Repeats;
import dev.weir.routing.estimate.Residuals;
import dev.weir.routing.estimate.ServiceTime;
import dev.weir.routing.estimate.Timings;
import dev.weir.routing.score.AdaptiveScore;
import dev.weir.routing.score.StockRank;
import dev.weir.routing.tail.InFlightLimit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one node in one phase. Learns under its own lock; what selections read is
 * volatile. Safe on any thread.
 */
final class NodeState {
  /** The newest request's weight in the average of service times that a node reports. */
  private static final double NEWEST = 0.3;

  private static final double MIXTURE_GAIN = 0.05;
  private static final double LEAST_COST = 0.05;

  final String nodeId;
  final Phase phase;
  final StockRank stock = new StockRank();
  private final NodeStates node;
  private final Fleet fleet;
  private final Threads threads;
  private final InFlightLimit limit;

  // guarded by this
  private ServiceTime service = new ServiceTime();
  private NodeQueue queue = new NodeQueue();

  /** The average cost of the requests that it answered. */
  private double mixture = 1;

  private final Repeats repeats = new Repeats();
  private @Nullable Exchange newest;

  private volatile int outstanding;

  /** Requests that were bound to it here and are not sent yet. */
  private volatile int promised;

  private volatile int sentSince;
  private volatile long sentAtNanos;
  private volatile @Nullable Exchange longestWaiting;

  /** The oldest that nobody waits for any more although it was never answered, nor any after it. */
  private volatile @Nullable Exchange givenUp;

  /** Learns guarded by this. */
  private volatile Residuals residuals = new Residuals();

  private volatile Belief belief = Belief.NONE;
  private volatile Timings timings = Timings.NONE;
  private volatile Faults faults = Faults.NONE;

  /** Threads of a node's pool; may become known later. */
  interface Threads {
    int count();
  }

  NodeState(NodeStates node, String nodeId, Phase phase, Fleet fleet, Threads threads) {
    this.node = node;
    this.nodeId = nodeId;
    this.phase = phase;
    this.fleet = fleet;
    this.threads = threads;
    this.limit = new InFlightLimit(threads::count, phase == Phase.QUERY);
  }

  /** What is known of the same node in all phases. */
  Stream<NodeState> everyPhase() {
    return node.all();
  }

  InFlightLimit limit() {
    return limit;
  }

  /** Whether it works on all that it has, so that one more would not wait there. */
  boolean hasRoom() {
    return limit.hasRoom(outstanding + promised);
  }

  /** A request is going to be sent; or not any more, or it was just sent. */
  synchronized void promise(int more) {
    promised = Math.max(0, promised + more);
  }

  int promised() {
    return promised;
  }

  int outstanding() {
    return outstanding;
  }

  Belief belief() {
    return belief;
  }

  Timings timings() {
    return timings;
  }

  Faults faults() {
    return faults;
  }

  int threads() {
    return threads.count();
  }

  /** L, the requests believed to be at the node. */
  double load(long now) {
    Belief known = belief;
    double fresh =
        AdaptiveScore.freshness((double) now - known.reportedAtNanos(), known.serviceNanos());
    return AdaptiveScore.load(
        outstanding, known.others(), known.queue(), sentSince, threads.count(), fresh);
  }

  /** What a request sent now would take; 1 ms for each at the node while nothing is known. */
  double expectedNanos(int costClass, long now) {
    Belief known = belief;
    return known.samples() == 0
        ? 1e6 * (1 + outstanding)
        : AdaptiveScore.expected(
            known.serviceNanos(),
            fleet.cost(costClass),
            load(now),
            threads.count(),
            residuals.nanos(costClass));
  }

  /** c, what requests of a class cost over the mean. */
  double cost(int costClass) {
    return fleet.cost(costClass);
  }

  /** b, what answers to requests of a class take beyond the prediction. */
  double residualNanos(int costClass) {
    return residuals.nanos(costClass);
  }

  /**
   * For how much longer than expected the node has not answered although something is under way.
   *
   * @param since silence before this moment is the gateway's own
   */
  double silenceNanos(long now, long since) {
    Exchange first = givenUp;
    if (first == null) {
      first = longestWaiting;
    }
    if (first == null) {
      return 0;
    }
    long heard = belief.samples() == 0 ? first.sentAtNanos : belief.repliedAtNanos();
    long from = later(later(heard, first.sentAtNanos), since);
    return Math.max(0, now - from - 2 * first.expectedNanos - 1e6);
  }

  /** Whether the node is idle as far as this gateway goes, and was not heard from for so long. */
  boolean unheard(long now, long nanos) {
    Belief known = belief;
    return outstanding == 0
        && known.samples() > 0
        && now - later(known.repliedAtNanos(), sentAtNanos) > nanos;
  }

  long repliedAtNanos() {
    return belief.repliedAtNanos();
  }

  synchronized Exchange send(NodeLoadTracker tracker, int costClass, long now) {
    double cost = fleet.cost(costClass);
    Belief known = belief;
    double expected = Math.max(0.5e6, expectedNanos(costClass, now));
    double predicted =
        AdaptiveScore.predicted(known.serviceNanos(), cost, load(now), threads.count());
    if (known.samples() == 0 && fleet.logServiceNanos() > 0) {
      expected = 2 * Math.exp(fleet.logServiceNanos());
    }
    NodeLoads.Trial trial = NodeLoads.Trial.NONE;
    if (faults.ejected()) {
      trial = NodeLoads.Trial.EJECTED;
    } else if (unheard(now, tracker.newsAfterNanos())) {
      trial = NodeLoads.Trial.EXPLORATION;
    }
    Exchange.Prediction prediction = new Exchange.Prediction(expected, predicted, trial);
    Exchange sent = new Exchange(tracker, this, now, costClass, prediction);
    Exchange last = newest;
    if (last == null) {
      longestWaiting = sent;
    } else {
      last.newer = sent;
      sent.older = last;
    }
    newest = sent;
    outstanding++;
    sentSince++;
    sentAtNanos = now;
    return sent;
  }

  /** Takes an exchange off the list; says whether it still was on it. */
  synchronized boolean settle(Exchange exchange) {
    if (exchange.settled) {
      return false;
    }
    exchange.settled = true;
    Exchange before = exchange.older;
    Exchange after = exchange.newer;
    if (before == null) {
      longestWaiting = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    exchange.older = null;
    exchange.newer = null;
    outstanding--;
    return true;
  }

  /** Settles an exchange without an answer: the node stays silent until it answers another. */
  synchronized boolean giveUp(Exchange exchange, long now) {
    boolean unanswered =
        belief.samples() == 0 || exchange.sentAtNanos - belief.repliedAtNanos() >= 0;
    boolean late = now - exchange.sentAtNanos > 2 * exchange.expectedNanos + 1e6;
    if (!settle(exchange)) {
      return false;
    }
    if (unanswered && late && givenUp == null) {
      givenUp = exchange;
    }
    return true;
  }

  /**
   * Learns from an answer whose exchange was just settled.
   *
   * @param newsAfter an answer after so long a silence counts much
   */
  synchronized void replied(
      Exchange exchange, Report report, long now, long newsAfter, RoutingPolicy policy) {
    long response = exchange.responseNanos(now);
    boolean repeated = report.serviceNanos() > 0 && repeats.again(report.serviceNanos());
    Report news = repeated ? Report.NOTHING : report;
    boolean back = faults.ejected();
    if (back) {
      // a node that comes back is let in slowly again, like one never heard of
      forgetTimes();
    }
    timings = timings.replied(response, news.queueSize(), news.serviceNanos(), now, policy.c3());
    if (news.serviceNanos() > 0) {
      stock.add(Math.max(0, news.queueSize()), (double) response, (double) news.serviceNanos());
    }
    learn(exchange, response, news, now, newsAfter);
    limit.replied(news.queueSize(), outstanding + 1, response, now);
    faults = faults.succeeded(now, policy.health());
  }

  /** The node lives, and says nothing of how quick it is. */
  synchronized void answered(long now, RoutingPolicy policy) {
    if (faults.ejected()) {
      forgetTimes();
    }
    givenUp = null;
    publish(belief.samples(), now);
    faults = faults.succeeded(now, policy.health());
  }

  private void learn(Exchange exchange, long response, Report news, long now, long newsAfter) {
    int own = outstanding + 1;
    double cost = fleet.cost(exchange.costClass);
    Belief before = belief;
    boolean stale =
        before.samples() > 0 && exchange.sentAtNanos - before.repliedAtNanos() > newsAfter;
    // what a node reports is an average over what it did lately: this request, and others before
    double weight = NEWEST * cost + (1 - NEWEST) * mixture;
    mixture += MIXTURE_GAIN * (cost - mixture);
    double sample = Math.max(0L, news.serviceNanos()) / Math.max(LEAST_COST, weight);
    double alone = response / Math.max(LEAST_COST, cost);
    if (sample == 0 && (before.samples() == 0 || timings.serviceNanos() == 0)) {
      // a phase that reports nothing: the response time is all there is
      sample = alone;
    }
    if (sample > 0) {
      if (stale) {
        service.addNews(Math.min(sample, alone));
        residuals.halve();
      } else {
        service.add(sample);
      }
      fleet.service(service.logNanos());
    }
    if (before.samples() > 0) {
      residuals.add(
          exchange.costClass, (double) response, exchange.predictedNanos, before.serviceNanos());
    }
    double slowness = Math.exp(service.logNanos() - fleet.logServiceNanos());
    if (news.queueSize() >= 0) {
      queue.report(news.queueSize(), own, threads.count(), now);
    }
    if (news.queueSize() == 0 || (timings.serviceNanos() == 0 && own <= threads.count())) {
      fleet.cost(exchange.costClass, response / slowness);
    }
    if (news.queueSize() >= 0 || !queue.reported()) {
      sentSince = 0;
    }
    givenUp = null;
    publish(before.samples() + 1, now);
  }

  private void publish(long samples, long repliedAt) {
    double s = service.nanosBeside(fleet.logServiceNanos());
    residuals.publish(s);
    belief =
        new Belief(samples, s, queue.size(), queue.others(), queue.reportedAtNanos(), repliedAt);
  }

  synchronized void rejected(long now, RoutingPolicy.C3 policy) {
    timings = timings.rejected(now, policy);
    limit.refused();
    queue.refused(threads.count(), now);
    Belief known = belief;
    belief =
        new Belief(
            known.samples(),
            known.serviceNanos(),
            queue.size(),
            queue.others(),
            now,
            known.repliedAtNanos());
  }

  synchronized void failed(boolean answered, long now, double luck, RoutingPolicy.Health policy) {
    faults = faults.failed(answered, now, luck, policy);
  }

  /** Takes the one request of a probation, if the node awaits it; one caller gets it. */
  boolean takeProbe(long now, double luck, RoutingPolicy.Health policy) {
    if (!faults.awaitsProbe(now)) {
      return false;
    }
    synchronized (this) {
      Faults seen = faults;
      if (!seen.awaitsProbe(now)) {
        return false;
      }
      faults = seen.probed(now, luck, policy);
      return true;
    }
  }

  /** Whether as much is outstanding as a node so little known may get. */
  boolean slowStartIsFull(RoutingPolicy.Health policy) {
    long samples = belief.samples();
    if (samples >= policy.slowStart()) {
      return false;
    }
    long most = samples >= 31 ? policy.slowStart() : 1L << samples;
    return outstanding >= Math.min(most, policy.slowStart());
  }

  private void forgetTimes() {
    timings = Timings.NONE;
    service = new ServiceTime();
    residuals = new Residuals();
    mixture = 1;
    queue = new NodeQueue();
    belief = Belief.NONE;
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
