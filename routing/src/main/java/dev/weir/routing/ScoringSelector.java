package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Ranks copies by the scores of their nodes, among healthy nodes.
 *
 * <p>Some rules precede the score. An unknown node gets few requests at a time. An idle node
 * without a recent response gets one request now and then. A node that failed several times in a
 * row ranks last, except for one probe after its ejection. A node that keeps standing still, or
 * stands still now, ranks behind steady ones, except for tests. Initializing copies rank behind all
 * others. Remote nodes get a penalty if the policy has one. Random jitter on every score prevents
 * many gateways from choosing alike.
 */
final class ScoringSelector implements ReplicaSelector {
  /** A node that has been silent for this long beyond the expected time stands still. */
  private static final long MAX_SILENCE_NANOS = 1_000_000_000;

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final NodeScorer rank;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Locality locality;
  private final long exploreAfterNanos;
  private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);

  ScoringSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      NodeScorer rank,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.policy = policy;
    this.rank = rank;
    this.nanoTime = nanoTime;
    this.random = random;
    this.locality = Locality.of(policy);
    this.exploreAfterNanos = policy.health().exploration().minIdleTime().toNanos();
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    order(copies, count, phase, 0);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    if (count > 1) {
      order(copies, count, phase, costClass, true);
    }
  }

  @Override
  public RankedCopies rank(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    boolean startsWithTrial =
        ordered.length > 1 && order(ordered, ordered.length, phase, costClass, true);
    return new RankedCopies(Arrays.asList(ordered), startsWithTrial);
  }

  @Override
  public List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    order(ordered, ordered.length, phase, costClass, false);
    return Arrays.asList(ordered);
  }

  /**
   * Ranks copies in place. At most one comes first as a test of its node: only the first one gets
   * the request.
   *
   * @param trials whether a copy may come first as a test
   * @return whether the first copy is a test
   */
  private boolean order(ShardCopy[] copies, int count, Phase phase, int costClass, boolean trials) {
    Scratch own = scratch.get();
    long now = nanoTime.getAsLong();
    int trial = trials ? findTrial(own, copies, count, phase, now) : -1;
    own.ensureCapacity(count);
    for (int i = 0; i < count; i++) {
      ShardCopy copy = copies[i];
      NodePhaseState state = tracker.state(copy.nodeId(), phase);
      double jittered = score(copy, state, costClass, now);
      CopyRank standing = i == trial ? CopyRank.PROBE : copyRank(copy, state, now);
      own.insert(copies, i, standing, jittered);
    }
    return trial >= 0;
  }

  @Override
  public int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    int first = peekPreferred(preferred, phase, costClass);
    long now = nanoTime.getAsLong();
    for (int i = 0; i < first; i++) {
      if (tryTrial(preferred.get(i), phase, now)) {
        return i;
      }
    }
    return first;
  }

  @Override
  public ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    ShardCopy first = copies.getFirst();
    long now = nanoTime.getAsLong();
    if (copies.size() < 2
        || (isFreshlyRanked && isTrialDue(first, tracker.state(first.nodeId(), phase), now))) {
      return first;
    }
    ShardCopy best = null;
    double lowest = Double.POSITIVE_INFINITY;
    boolean unsteady = true; // only such nodes so far
    for (int i = 0; i < copies.size(); i++) {
      ShardCopy copy = copies.get(i);
      NodePhaseState state = tracker.state(copy.nodeId(), phase);
      boolean isUnsteady = isUnsteady(state, now);
      if (state.failures().ejected()
          || state.isSlowStartFull(policy.health(), now)
          || (isUnsteady && !unsteady)) {
        continue;
      }
      double score = score(copy, state, costClass, now);
      if (score < lowest || (unsteady && !isUnsteady)) {
        best = copy;
        lowest = score;
        unsteady = isUnsteady;
      }
    }
    return best == null ? orderFallbacks(copies, phase, costClass).getFirst() : best;
  }

  @Override
  public boolean isTrialDue(ShardCopy copy, Phase phase) {
    return isTrialDue(copy, tracker.state(copy.nodeId(), phase), nanoTime.getAsLong());
  }

  @Override
  public boolean mayWaitFor(ShardCopy copy, Phase phase) {
    NodePhaseState state = tracker.state(copy.nodeId(), phase);
    return !state.failures().ejected() && !isUnsteady(state, nanoTime.getAsLong());
  }

  @Override
  public boolean canAnswer(ShardCopy copy, Phase phase) {
    NodePhaseState state = tracker.state(copy.nodeId(), phase);
    return !state.failures().ejected() && !isSilent(state, nanoTime.getAsLong());
  }

  /** Returns true if a skipped copy gets this request as a test of its node. */
  private boolean tryTrial(ShardCopy copy, Phase phase, long now) {
    NodePhaseState state = tracker.state(copy.nodeId(), phase);
    if (copy.initializing()) {
      return false;
    }
    if (state.failures().ejected()) {
      return state.failures().isAwaitingProbe(now);
    }
    if (state.isSteadinessTestDue(now)) {
      return true;
    }
    Scratch own = scratch.get();
    boolean explores =
        own.canExplore(policy.health().exploration().maxRatio())
            && state.isStale(now, exploreAfterNanos);
    if (explores) {
      own.spendExploration();
    }
    return explores;
  }

  @Override
  public int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    if (!policy.locality().failoverEnabled() || preferred.size() < 2) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    double best = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : preferred) {
      NodePhaseState state = tracker.state(copy.nodeId(), phase);
      if (!copy.initializing() && !state.failures().ejected() && !state.isUnsteady()) {
        best = Math.min(best, rank.score(state, costClass, now) * locality.penalty(copy));
      }
    }
    for (int i = 0; i < preferred.size(); i++) {
      if (!isOverloaded(preferred.get(i), phase, costClass, best, now)) {
        return i;
      }
    }
    return 0;
  }

  /**
   * Returns true if a copy's node is ejected or keeps standing still, or is clearly overloaded in
   * comparison with the best one.
   */
  private boolean isOverloaded(ShardCopy copy, Phase phase, int costClass, double best, long now) {
    NodePhaseState state = tracker.state(copy.nodeId(), phase);
    if (copy.initializing() || state.failures().ejected() || state.isUnsteady()) {
      return true;
    }
    boolean busy =
        state.load(now) >= state.threads()
            || state.silenceNanos(now, tracker.lastPauseEndNanos(now)) > 0;
    return busy
        && state.loadEstimate().samples() > 0
        && rank.score(state, costClass, now) * locality.penalty(copy)
            > policy.locality().overloadFactor() * best;
  }

  /** Returns the score of a copy, with jitter. */
  private double score(ShardCopy copy, NodePhaseState state, int costClass, long now) {
    double exact = rank.score(state, costClass, now) * locality.penalty(copy);
    return exact * (1 + policy.scoreJitterRatio() * random.nextDouble());
  }

  /** Returns true if a test of its node would rank this copy first, regardless of scores. */
  private boolean isTrialDue(ShardCopy copy, NodePhaseState state, long now) {
    if (copy.initializing()) {
      return false;
    }
    if (state.failures().ejected()) {
      return state.failures().isAwaitingProbe(now);
    }
    return (state.loadEstimate().samples() == 0 && !state.isSlowStartFull(policy.health(), now))
        || state.isSteadinessTestDue(now)
        || state.isStale(now, exploreAfterNanos);
  }

  @Override
  public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    long now = nanoTime.getAsLong();
    NodePhaseState state = tracker.state(copy.nodeId(), work.phase());
    double[] numbers = scratch.get().termValues(rank.formula().valueCount());
    numbers[0] = rank.score(state, work.costClass(), now) * locality.penalty(copy);
    rank.writeTermValues(state, work.costClass(), now, numbers, 1);
    return new ScoredCopy(copy.nodeId(), copyRank(copy, state, now), rank.formula(), numbers);
  }

  @Override
  public RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    long now = nanoTime.getAsLong();
    return RankingExplainer.explain(
        rank,
        phase,
        copies,
        copy -> {
          NodePhaseState state = tracker.state(copy.nodeId(), phase);
          double factor = locality.penalty(copy);
          return new RankingExplainer.ExplainedCopy(
              copy,
              copyRank(copy, state, now),
              rank.score(state, costClass, now) * factor,
              rank.terms(state, costClass, now),
              factor);
        });
  }

  /**
   * Returns a copy whose node awaits its probe, or keeps standing still and is due for a test; both
   * cost no credit. Otherwise returns the idle copy with the oldest response, if it is due for
   * exploration; otherwise -1.
   */
  private int findTrial(Scratch own, ShardCopy[] copies, int count, Phase phase, long now) {
    boolean mayExplore = own.canExplore(policy.health().exploration().maxRatio());
    int stalest = -1;
    long longest = exploreAfterNanos;
    for (int i = 0; i < count; i++) {
      NodePhaseState state = tracker.state(copies[i].nodeId(), phase);
      if (copies[i].initializing()) {
        continue;
      }
      if (state.failures().ejected()) {
        if (state.failures().isAwaitingProbe(now)) {
          return i;
        }
        continue;
      }
      if (state.isSteadinessTestDue(now)) {
        return i;
      }
      if (mayExplore && state.isStale(now, longest)) {
        stalest = i;
        longest = now - state.lastNewsNanos();
      }
    }
    if (stalest >= 0) {
      own.spendExploration();
    }
    return stalest;
  }

  /**
   * Returns true if a node keeps standing still, or stands still now: nobody knows for how long, so
   * it is no better than one that stands still again and again.
   */
  private boolean isUnsteady(NodePhaseState state, long now) {
    return state.isUnsteady() || isSilent(state, now);
  }

  private boolean isSilent(NodePhaseState state, long now) {
    return state.silenceNanos(now, tracker.lastPauseEndNanos(now)) > MAX_SILENCE_NANOS;
  }

  private CopyRank copyRank(ShardCopy copy, NodePhaseState state, long now) {
    if (copy.initializing()) {
      return CopyRank.INITIALIZING;
    } else if (state.failures().ejected()) {
      return CopyRank.EJECTED;
    } else if (isUnsteady(state, now)) {
      return CopyRank.UNSTEADY;
    } else if (state.isSlowStartFull(policy.health(), now)) {
      return CopyRank.SLOW_START;
    }
    return state.loadEstimate().samples() == 0 ? CopyRank.UNKNOWN : CopyRank.SCORED;
  }

  /**
   * The working memory of one thread: the sort keys of the copies so far, and its exploration
   * credit.
   */
  private static final class Scratch {
    private static final double BURST = 4;

    private CopyRank[] copyRanks = new CopyRank[8];
    private double[] scores = new double[8];
    private double[] termValues = new double[16];
    private double credit = 1;

    void ensureCapacity(int count) {
      if (scores.length < count) {
        scores = new double[2 * count];
        copyRanks = new CopyRank[2 * count];
      }
    }

    double[] termValues(int count) {
      if (termValues.length < count) {
        termValues = new double[count];
      }
      return termValues;
    }

    boolean canExplore(double share) {
      credit = Math.min(BURST, credit + share);
      return credit >= 1;
    }

    void spendExploration() {
      credit -= 1;
    }

    /** Inserts the copy at {@code i} into the sorted copies before it. */
    void insert(ShardCopy[] copies, int i, CopyRank standing, double score) {
      ShardCopy copy = copies[i];
      int to = i;
      while (to > 0 && isBetter(standing, score, to - 1)) {
        copies[to] = copies[to - 1];
        copyRanks[to] = copyRanks[to - 1];
        scores[to] = scores[to - 1];
        to--;
      }
      copies[to] = copy;
      copyRanks[to] = standing;
      scores[to] = score;
    }

    private boolean isBetter(CopyRank standing, double score, int than) {
      int order = standing.compareTo(copyRanks[than]);
      return order < 0 || (order == 0 && score < scores[than]);
    }
  }
}
