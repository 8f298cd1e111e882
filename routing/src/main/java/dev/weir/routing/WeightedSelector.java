package dev.weir.routing;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Candidate;
import dev.weir.routing.weight.NodeWeights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ranks copies as another selector does, except that copies on drained nodes follow all others, but
 * for those that are initializing, and those on nodes that don't work. A node with a weight between
 * 0 and 1 loses some of the choices, and then comes just before the drained ones; so does a copy
 * with less than its full weight. Safe on any thread; adds no work while all weights are full.
 */
final class WeightedSelector implements ReplicaSelector {
  /** The position of the drained nodes among the groups. */
  private static final int DRAINED = 2;

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
        order(
            Arrays.asList(copies).subList(0, count),
            phase,
            part -> ranked.order(part, phase, costClass));
    for (int i = 0; i < count; i++) {
      copies[i] = ordered.get(i);
    }
  }

  @Override
  public List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    return weights.areFull()
        ? ranked.orderFallbacks(copies, phase, costClass)
        : order(copies, phase, part -> ranked.orderFallbacks(part, phase, costClass));
  }

  /**
   * Ranks all copies together, so that ejected nodes get their probes, and then puts those on nodes
   * that take part first, then those on nodes that have lost the draw, then those on drained nodes.
   * A group whose nodes are ejected or unsteady follows one that has a better node ({@link
   * #firstUsable}).
   */
  private List<ShardCopy> order(List<ShardCopy> copies, Phase phase, PartRanking ranking) {
    if (copies.isEmpty()) {
      return List.of();
    }
    List<ShardCopy> all = ranking.order(copies);
    List<List<ShardCopy>> groups = group(all);
    List<ShardCopy> ordered = new ArrayList<>(copies.size());
    List<ShardCopy> head = firstUsable(groups, all.getFirst(), phase);
    ordered.addAll(head);
    for (List<ShardCopy> group : groups) {
      if (!group.equals(head)) {
        ordered.addAll(group);
      }
    }
    all.stream().filter(ShardCopy::initializing).forEach(ordered::add);
    return ordered;
  }

  /**
   * Groups the copies that are not initializing: on nodes that take part, on nodes that have lost
   * the draw, on drained nodes. Keeps their order.
   */
  private List<List<ShardCopy>> group(List<ShardCopy> copies) {
    List<ShardCopy> drawn = new ArrayList<>(copies.size());
    List<ShardCopy> undrawn = new ArrayList<>(1);
    List<ShardCopy> drained = new ArrayList<>(1);
    for (ShardCopy copy : copies) {
      if (!copy.initializing()) {
        (weights.isDrained(copy.nodeId()) ? drained : weights.drawsIn(copy) ? drawn : undrawn)
            .add(copy);
      }
    }
    return List.of(drawn, undrawn, drained);
  }

  /**
   * Returns the group that goes first. Nodes that are not drained do if one of them is neither
   * ejected nor unsteady, or is due for a test. Then follow the unsteady ones, which answer all the
   * same, and then the drained ones: those may be about to stop. Ejected nodes and those that stand
   * still now go last.
   */
  private List<ShardCopy> firstUsable(
      List<List<ShardCopy>> groups, @Nullable ShardCopy firstRanked, Phase phase) {
    List<ShardCopy> found =
        firstWith(
            groups.subList(0, DRAINED),
            copy -> copy.equals(firstRanked) || ranked.mayWaitFor(copy, phase));
    if (found.isEmpty()) {
      found = firstWith(groups, copy -> copy.equals(firstRanked) || ranked.canAnswer(copy, phase));
    }
    return found.isEmpty() ? firstWith(groups, copy -> true) : found;
  }

  private static List<ShardCopy> firstWith(
      List<List<ShardCopy>> groups, Predicate<ShardCopy> accepted) {
    for (List<ShardCopy> group : groups) {
      if (group.stream().anyMatch(accepted)) {
        return group;
      }
    }
    return List.of();
  }

  /** Ranks copies of a shard. */
  private interface PartRanking {
    List<ShardCopy> order(List<ShardCopy> part);
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
    List<ShardCopy> left =
        firstUsable(group(copies), isFreshlyRanked ? copies.getFirst() : null, phase);
    if (left.isEmpty()) {
      return copies.getFirst();
    }
    boolean firstStays = left.getFirst().equals(copies.getFirst());
    return ranked.selectForSend(left, phase, costClass, isFreshlyRanked && firstStays);
  }

  @Override
  public boolean mayWaitFor(ShardCopy copy, Phase phase) {
    return !weights.isDrained(copy.nodeId()) && ranked.mayWaitFor(copy, phase);
  }

  @Override
  public int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return choose(preferred, part -> ranked.choosePreferred(part, phase, costClass));
  }

  @Override
  public int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return choose(preferred, part -> ranked.peekPreferred(part, phase, costClass));
  }

  /** Chooses among the copies on nodes that take part; among all if none does. */
  private int choose(List<ShardCopy> preferred, PreferredChoice choice) {
    if (weights.areFull()) {
      return choice.choose(preferred);
    }
    List<ShardCopy> left =
        group(preferred).stream().filter(group -> !group.isEmpty()).findFirst().orElse(preferred);
    return preferred.indexOf(left.get(choice.choose(left)));
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
    List<Candidate> first = new ArrayList<>();
    List<Candidate> last = new ArrayList<>();
    for (Candidate candidate : explained.candidates()) {
      (lastness(candidate.copy()) > 0 ? last : first).add(candidate);
    }
    last.sort(Comparator.comparingInt(candidate -> lastness(candidate.copy())));
    first.addAll(last);
    List<Candidate> candidates = new ArrayList<>();
    for (Candidate candidate : first) {
      candidates.add(withWeight(candidate, candidates.size() + 1));
    }
    return new RankingExplanation(
        explained.policy(), explained.formula(), phase, List.copyOf(candidates));
  }

  /** Returns 0 for a copy that takes part, and more the later it follows those. */
  private int lastness(ShardCopy copy) {
    if (copy.initializing()) {
      return 3;
    }
    return weights.isDrained(copy.nodeId()) ? 2 : weights.ofCopy(copy) <= 0 ? 1 : 0;
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
