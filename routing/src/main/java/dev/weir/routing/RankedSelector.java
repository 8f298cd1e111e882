package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Orders copies by a rank of their nodes, among nodes that can be trusted.
 *
 * <p>Around the score: a node never heard of gets few requests at a time; an idle one that was not
 * heard from for long gets one now and then; a node that failed several times in a row is tried
 * last, except for a single request when its time is over; initializing copies are the very last;
 * far nodes count as worse than near ones where the policy says so; a random share on every score
 * keeps many gateways from choosing alike.
 */
final class RankedSelector implements ReplicaSelector {
  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final Rank rank;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Locality locality;
  private final long exploreAfterNanos;
  private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);

  RankedSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      Rank rank,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.policy = policy;
    this.rank = rank;
    this.nanoTime = nanoTime;
    this.random = random;
    this.locality = Locality.of(policy);
    this.exploreAfterNanos = policy.health().exploration().after().toNanos();
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
  public List<ShardCopy> orderRest(List<ShardCopy> copies, Phase phase, int costClass) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    order(ordered, ordered.length, phase, costClass, false);
    return Arrays.asList(ordered);
  }

  private void order(ShardCopy[] copies, int count, Phase phase, int costClass, boolean trials) {
    Scratch own = scratch.get();
    long now = nanoTime.getAsLong();
    int explored = trials ? explored(own, copies, count, phase, now) : -1;
    own.room(count);
    for (int i = 0; i < count; i++) {
      ShardCopy copy = copies[i];
      NodeState state = tracker.state(copy.nodeId(), phase);
      double jittered = score(copy, state, costClass, now);
      Standing standing = i == explored ? Standing.PROBED : standing(copy, state);
      if (trials && standing == Standing.EJECTED && takesProbe(state, now)) {
        standing = Standing.PROBED;
        jittered = 0;
      }
      own.insert(copies, i, standing, jittered);
    }
  }

  @Override
  public int yielding(List<ShardCopy> preferred, Phase phase, int costClass) {
    int first = wouldYield(preferred, phase, costClass);
    long now = nanoTime.getAsLong();
    for (int i = 0; i < first; i++) {
      if (isTried(preferred.get(i), phase, now)) {
        return i;
      }
    }
    return first;
  }

  /** Whether a copy that is passed over gets this one request, to see how its node does. */
  private boolean isTried(ShardCopy copy, Phase phase, long now) {
    NodeState state = tracker.state(copy.nodeId(), phase);
    if (copy.initializing()) {
      return false;
    }
    if (state.faults().ejected()) {
      return takesProbe(state, now);
    }
    Scratch own = scratch.get();
    boolean explores =
        own.mayExplore(policy.health().exploration().share())
            && state.unheard(now, exploreAfterNanos);
    if (explores) {
      own.explore();
    }
    return explores;
  }

  @Override
  public int wouldYield(List<ShardCopy> preferred, Phase phase, int costClass) {
    if (!policy.locality().yields() || preferred.size() < 2) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    double best = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : preferred) {
      NodeState state = tracker.state(copy.nodeId(), phase);
      if (!copy.initializing() && !state.faults().ejected()) {
        best = Math.min(best, rank.of(state, costClass, now) * locality.factor(copy));
      }
    }
    for (int i = 0; i < preferred.size(); i++) {
      if (!overloaded(preferred.get(i), phase, costClass, best, now)) {
        return i;
      }
    }
    return 0;
  }

  /** Whether a copy is ejected, or clearly overloaded beside the best one. */
  private boolean overloaded(ShardCopy copy, Phase phase, int costClass, double best, long now) {
    NodeState state = tracker.state(copy.nodeId(), phase);
    if (copy.initializing() || state.faults().ejected()) {
      return true;
    }
    boolean busy =
        state.load(now) >= state.threads() || state.silenceNanos(now, tracker.awakeSince(now)) > 0;
    return busy
        && state.belief().samples() > 0
        && rank.of(state, costClass, now) * locality.factor(copy)
            > policy.locality().overload() * best;
  }

  /** The score of a copy, with chance. */
  double score(ShardCopy copy, NodeState state, int costClass, long now) {
    double exact = rank.of(state, costClass, now) * locality.factor(copy);
    return exact * (1 + policy.jitter() * random.nextDouble());
  }

  /** Whether an order would begin with this copy to learn about its node, whatever the scores. */
  boolean onTrial(ShardCopy copy, NodeState state, long now) {
    return !copy.initializing()
        && (state.faults().ejected()
            || (state.belief().samples() == 0 && !state.slowStartIsFull(policy.health()))
            || state.unheard(now, exploreAfterNanos));
  }

  RoutingPolicy policy() {
    return policy;
  }

  @Override
  public Weighed weigh(ShardCopy copy, Work work) {
    long now = nanoTime.getAsLong();
    NodeState state = tracker.state(copy.nodeId(), work.phase());
    double[] numbers = scratch.get().numbers(rank.scale().width());
    numbers[0] = rank.of(state, work.costClass(), now) * locality.factor(copy);
    rank.numbers(state, work.costClass(), now, numbers, 1);
    return new Weighed(copy.nodeId(), standing(copy, state), rank.scale(), numbers);
  }

  @Override
  public Explanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    long now = nanoTime.getAsLong();
    return Explanations.explain(
        rank,
        phase,
        copies,
        copy -> {
          NodeState state = tracker.state(copy.nodeId(), phase);
          double factor = locality.factor(copy);
          return new Explanations.Judged(
              copy,
              standing(copy, state),
              rank.of(state, costClass, now) * factor,
              rank.terms(state, costClass, now),
              factor);
        });
  }

  /** The idle copy longest unheard, when its turn has come; otherwise -1. */
  private int explored(Scratch own, ShardCopy[] copies, int count, Phase phase, long now) {
    if (!own.mayExplore(policy.health().exploration().share())) {
      return -1;
    }
    int stalest = -1;
    long longest = exploreAfterNanos;
    for (int i = 0; i < count; i++) {
      if (copies[i].initializing()) {
        continue;
      }
      NodeState state = tracker.state(copies[i].nodeId(), phase);
      if (state.unheard(now, longest) && !state.faults().ejected()) {
        stalest = i;
        longest = now - state.repliedAtNanos();
      }
    }
    if (stalest >= 0) {
      own.explore();
    }
    return stalest;
  }

  private boolean takesProbe(NodeState state, long now) {
    return state.takeProbe(now, random.nextDouble(), policy.health());
  }

  private Standing standing(ShardCopy copy, NodeState state) {
    if (copy.initializing()) {
      return Standing.INITIALIZING;
    } else if (state.faults().ejected()) {
      return Standing.EJECTED;
    } else if (state.slowStartIsFull(policy.health())) {
      return Standing.WARMING;
    }
    return state.belief().samples() == 0 ? Standing.UNSEEN : Standing.KNOWN;
  }

  /** What a thread orders with: the keys of the copies so far, and its right to explore. */
  private static final class Scratch {
    private static final double BURST = 4;

    private Standing[] standings = new Standing[8];
    private double[] scores = new double[8];
    private double[] numbers = new double[16];
    private double credit = 1;

    void room(int count) {
      if (scores.length < count) {
        scores = new double[2 * count];
        standings = new Standing[2 * count];
      }
    }

    double[] numbers(int count) {
      if (numbers.length < count) {
        numbers = new double[count];
      }
      return numbers;
    }

    boolean mayExplore(double share) {
      credit = Math.min(BURST, credit + share);
      return credit >= 1;
    }

    void explore() {
      credit -= 1;
    }

    /** Puts the copy at {@code i} in its place among those before it. */
    void insert(ShardCopy[] copies, int i, Standing standing, double score) {
      ShardCopy copy = copies[i];
      int to = i;
      while (to > 0 && isBetter(standing, score, to - 1)) {
        copies[to] = copies[to - 1];
        standings[to] = standings[to - 1];
        scores[to] = scores[to - 1];
        to--;
      }
      copies[to] = copy;
      standings[to] = standing;
      scores[to] = score;
    }

    private boolean isBetter(Standing standing, double score, int than) {
      int order = standing.compareTo(standings[than]);
      return order < 0 || (order == 0 && score < scores[than]);
    }
  }
}
