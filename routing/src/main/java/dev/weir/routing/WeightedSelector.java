package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Candidate;
import dev.weir.routing.weight.NodeWeights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Ranks copies as another selector does, except that copies on drained nodes follow all others, but
 * for those that are initializing, and those on nodes that don't work. A node with a weight between
 * 0 and 1 loses some of the choices, and then comes just before the drained ones; so does a copy
 * with less than its full weight. Safe on any thread; adds no work while all weights are full.
 */
final class WeightedSelector implements ReplicaSelector {
  private final ReplicaSelector ranked;
  private final NodeWeights weights;

  WeightedSelector(ReplicaSelector ranked, NodeWeights weights) {
    this.ranked = ranked;
    this.weights = weights;
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    order(copies, count, phase, 0);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    if (weights.areFull()) {
      ranked.order(copies, count, phase, costClass);
      return;
    }
    List<ShardCopy> ordered =
        rank(Arrays.asList(copies).subList(0, count), phase, costClass).copies();
    for (int i = 0; i < count; i++) {
      copies[i] = ordered.get(i);
    }
  }

  @Override
  public RankedCopies rank(List<ShardCopy> copies, Phase phase, int costClass) {
    return weights.areFull()
        ? ranked.rank(copies, phase, costClass)
        : rank(copies, phase, costClass, part -> ranked.rank(part, phase, costClass));
  }

  @Override
  public List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    return weights.areFull()
        ? ranked.orderFallbacks(copies, phase, costClass)
        : rank(
                copies,
                phase,
                costClass,
                part -> new RankedCopies(ranked.orderFallbacks(part, phase, costClass), false))
            .copies();
  }

  /**
   * Puts copies on nodes that take part first, then those on nodes that have lost the draw, then
   * those on drained nodes. A group whose nodes are ejected or unsteady follows one that has a
   * better node ({@link WeightGroups#firstUsable}). Only copies that may come first are tests of
   * their nodes: a test that is not sent would cost a node its exploration.
   */
  private RankedCopies rank(
      List<ShardCopy> copies, Phase phase, int costClass, PartRanking ranking) {
    if (copies.isEmpty()) {
      return new RankedCopies(List.of(), false);
    }
    WeightGroups groups = WeightGroups.draw(copies, weights);
    List<ShardCopy> candidates = groups.candidates(ranked, phase);
    List<ShardCopy> others = new ArrayList<>(copies);
    others.removeAll(candidates);
    RankedCopies candidatesRanked = ranking.rank(candidates);
    List<ShardCopy> all = new ArrayList<>(candidatesRanked.copies());
    all.addAll(ranked.orderFallbacks(others, phase, costClass));
    ShardCopy first = all.getFirst();
    List<ShardCopy> ordered =
        groups.inOrderOf(all).startingWith(groups.firstUsable(ranked, first, phase));
    boolean startsWithTrial =
        candidatesRanked.startsWithTrial() && first.equals(ordered.getFirst()) && hasWeight(first);
    return new RankedCopies(ordered, startsWithTrial);
  }

  /** Ranks copies of a shard. */
  private interface PartRanking {
    RankedCopies rank(List<ShardCopy> part);
  }

  /** Returns whether a copy gets requests that other copies can answer too. */
  private boolean hasWeight(ShardCopy copy) {
    return weights.of(copy.nodeId()) * weights.ofCopy(copy) > 0;
  }

  @Override
  public boolean isDrained(String nodeId) {
    return weights.isDrained(nodeId);
  }

  @Override
  public double weight(String nodeId) {
    return weights.of(nodeId);
  }

  @Override
  public ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    if (copies.size() < 2 || weights.areFull()) {
      return ranked.selectForSend(copies, phase, costClass, isFreshlyRanked);
    }
    ShardCopy first = copies.getFirst();
    if (isFreshlyRanked && isTrialDue(first, phase)) {
      return first; // the ranking has drawn for it
    }
    WeightGroups groups = WeightGroups.draw(copies, weights);
    List<ShardCopy> left =
        groups.groups().get(groups.firstUsable(ranked, isFreshlyRanked ? first : null, phase));
    if (left.isEmpty()) {
      return first;
    }
    boolean firstStays = left.getFirst().equals(first);
    return ranked.selectForSend(left, phase, costClass, isFreshlyRanked && firstStays);
  }

  @Override
  public boolean isTrialDue(ShardCopy copy, Phase phase) {
    return hasWeight(copy) && ranked.isTrialDue(copy, phase);
  }

  @Override
  public boolean mayWaitFor(ShardCopy copy, Phase phase) {
    return !weights.isDrained(copy.nodeId()) && ranked.mayWaitFor(copy, phase);
  }

  @Override
  public boolean canAnswer(ShardCopy copy, Phase phase) {
    return ranked.canAnswer(copy, phase);
  }

  @Override
  public int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return weights.areFull()
        ? ranked.choosePreferred(preferred, phase, costClass)
        : choose(
            preferred,
            WeightGroups.draw(preferred, weights),
            phase,
            part -> ranked.choosePreferred(part, phase, costClass));
  }

  @Override
  public int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return weights.areFull()
        ? ranked.peekPreferred(preferred, phase, costClass)
        : choose(
            preferred,
            WeightGroups.expected(preferred, weights),
            phase,
            part -> ranked.peekPreferred(part, phase, costClass));
  }

  /**
   * Chooses among the copies of the groups up to the first usable one: the nodes of those before it
   * may be due for a test. Chooses among all copies if all are initializing.
   */
  private int choose(
      List<ShardCopy> preferred, WeightGroups groups, Phase phase, PreferredChoice choice) {
    List<ShardCopy> left = new ArrayList<>(preferred);
    left.retainAll(
        groups.groups().subList(0, groups.firstUsable(ranked, null, phase) + 1).stream()
            .flatMap(List::stream)
            .toList());
    return left.isEmpty()
        ? choice.choose(preferred)
        : preferred.indexOf(left.get(choice.choose(left)));
  }

  /** Chooses one of some copies; returns its index. */
  private interface PreferredChoice {
    int choose(List<ShardCopy> part);
  }

  @Override
  public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    ScoredCopy scored = ranked.scoreCopy(copy, work);
    return !copy.initializing() && weights.isDrained(copy.nodeId())
        ? scored.withRank(CopyRank.DRAINED)
        : scored;
  }

  @Override
  public RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    RankingExplanation explained = ranked.explain(copies, phase, costClass);
    if (weights.areFull()) {
      return explained;
    }
    Map<ShardCopy, Candidate> byCopy = new LinkedHashMap<>();
    explained.candidates().forEach(candidate -> byCopy.put(candidate.copy(), candidate));
    WeightGroups groups = WeightGroups.expected(List.copyOf(byCopy.keySet()), weights);
    List<Candidate> candidates = new ArrayList<>();
    for (ShardCopy copy : groups.startingWith(groups.firstUsable(ranked, null, phase))) {
      candidates.add(withWeight(Objects.requireNonNull(byCopy.get(copy)), candidates.size() + 1));
    }
    return new RankingExplanation(
        explained.policy(), explained.formula(), phase, List.copyOf(candidates));
  }

  private Candidate withWeight(Candidate candidate, int position) {
    double weight = weights.of(candidate.copy().nodeId());
    boolean isDrained = weight <= 0 && !candidate.copy().initializing();
    String reason =
        isDrained
            ? CopyRank.DRAINED.description()
            : weight < 1
                ? candidate.reason()
                    + String.format(Locale.ROOT, "; weight %.2f of its node", weight)
                : candidate.reason();
    double ofCopy = weights.ofCopy(candidate.copy());
    if (ofCopy < 1) {
      reason += String.format(Locale.ROOT, "; weight %.2f of its copy, which is new", ofCopy);
    }
    return new Candidate(
        candidate.copy(),
        position,
        isDrained ? CopyRank.DRAINED : candidate.copyRank(),
        candidate.score(),
        candidate.terms(),
        reason);
  }
}
