package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.routing.estimate.Faults;
import dev.weir.routing.estimate.Fleet;
import dev.weir.routing.estimate.NodeQueue;
import dev.weir.routing.estimate.Repeats;
import dev.weir.routing.estimate.Residual;
import dev.weir.routing.estimate.ServiceTime;
import dev.weir.routing.estimate.Timings;
import dev.weir.routing.score.AdaptiveScore;
import dev.weir.routing.score.StockRank;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one node in one phase. Learns under its own lock; what selections read is
 * volatile. Safe on any thread.
 */
final class NodeState {
  final String nodeId;
  final Phase phase;
  final StockRank stock = new StockRank();
  private final Fleet fleet;
  private final Threads threads;

  // guarded by this
  private ServiceTime service = new ServiceTime();
  private Residual residual = new Residual();
  private NodeQueue queue = new NodeQueue();
  private final Repeats repeats = new Repeats();
  private @Nullable Exchange newest;

  private volatile int outstanding;
  private volatile int sentSince;
  private volatile long sentAtNanos;
  private volatile @Nullable Exchange longestWaiting;

  /** The oldest that nobody waits for any more although it was never answered, nor any after it. */
  private volatile @Nullable Exchange givenUp;

  private volatile Belief belief = Belief.NONE;
  private volatile Timings timings = Timings.NONE;
  private volatile Faults faults = Faults.NONE;

  /** Threads of a node's pool; may become known later. */
  interface Threads {
    int count();
  }

  NodeState(String nodeId, Phase phase, Fleet fleet, Threads threads) {
    this.nodeId = nodeId;
    this.phase = phase;
    this.fleet = fleet;
    this.threads = threads;
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
  double expectedNanos(double cost, long now) {
    Belief known = belief;
    return known.samples() == 0
        ? 1e6 * (1 + outstanding)
        : AdaptiveScore.expected(
            known.serviceNanos(), cost, load(now), threads.count(), known.residualNanos());
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
    double expected = Math.max(0.5e6, expectedNanos(cost, now));
    double predicted =
        AdaptiveScore.predicted(known.serviceNanos(), cost, load(now), threads.count());
    if (known.samples() == 0 && fleet.logServiceNanos() > 0) {
      expected = 2 * Math.exp(fleet.logServiceNanos());
    }
    boolean exploring = unheard(now, tracker.newsAfterNanos());
    Exchange.Prediction prediction = new Exchange.Prediction(expected, predicted, exploring);
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
    faults = faults.succeeded(now, policy.health());
  }

  private void learn(Exchange exchange, long response, Report news, long now, long newsAfter) {
    int own = outstanding + 1;
    double cost = fleet.cost(exchange.costClass);
    Belief before = belief;
    boolean stale =
        before.samples() > 0 && exchange.sentAtNanos - before.repliedAtNanos() > newsAfter;
    double sample = (double) Math.max(0L, news.serviceNanos());
    if (sample == 0 && before.samples() == 0) {
      sample = (double) response;
    }
    if (sample == 0 && timings.serviceNanos() == 0) {
      // a phase that reports nothing: the response time is all there is
      sample = response / Math.max(0.2, cost);
    }
    if (sample > 0) {
      if (stale) {
        service.addNews(Math.min(sample, response / Math.max(0.2, cost)));
        residual.halve();
      } else {
        service.add(sample);
      }
      fleet.service(service.logNanos());
    }
    if (before.samples() > 0) {
      residual.add((double) response, exchange.predictedNanos, before.serviceNanos());
    }
    if (news.queueSize() >= 0) {
      queue.report(news.queueSize(), own, threads.count(), now);
      if (news.queueSize() == 0) {
        double slowness = Math.exp(service.logNanos() - fleet.logServiceNanos());
        fleet.cost(exchange.costClass, response / slowness);
      }
    }
    sentSince = 0;
    givenUp = null;
    publish(before.samples() + 1, now);
  }

  private void publish(long samples, long repliedAt) {
    double s = service.nanosBeside(fleet.logServiceNanos());
    belief =
        new Belief(
            samples,
            s,
            residual.nanosBeyondNoise(s),
            queue.size(),
            queue.others(),
            queue.reportedAtNanos(),
            repliedAt);
  }

  synchronized void rejected(long now, RoutingPolicy.C3 policy) {
    timings = timings.rejected(now, policy);
    queue.refused(threads.count(), now);
    Belief known = belief;
    belief =
        new Belief(
            known.samples(),
            known.serviceNanos(),
            known.residualNanos(),
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
    residual = new Residual();
    queue = new NodeQueue();
    belief = Belief.NONE;
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
