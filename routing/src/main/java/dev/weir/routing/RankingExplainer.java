package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Candidate;
import dev.weir.routing.RankingExplanation.Term;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Explains the order of copies in words. */
final class RankingExplainer {
  private RankingExplainer() {}

  /** A copy with the values that determine its position. */
  record ExplainedCopy(
      ShardCopy copy, CopyRank copyRank, double score, List<Term> terms, double remotePenalty) {}

  static RankingExplanation explain(
      NodeScorer rank,
      Phase phase,
      List<ShardCopy> copies,
      Function<ShardCopy, ExplainedCopy> judge) {
    List<ExplainedCopy> judged = new ArrayList<>();
    copies.forEach(copy -> judged.add(judge.apply(copy)));
    judged.sort(
        Comparator.comparing(ExplainedCopy::copyRank).thenComparingDouble(ExplainedCopy::score));
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < judged.size(); i++) {
      candidates.add(candidate(judged.get(i), i + 1, judged.getFirst()));
    }
    return new RankingExplanation(
        rank.formula().policy(), rank.formula().expression(), phase, List.copyOf(candidates));
  }

  /** Explains a policy without scores. */
  static RankingExplanation explainFixedOrder(
      String policy, List<ShardCopy> ordered, Phase phase, String words) {
    List<Candidate> candidates = new ArrayList<>();
    for (ShardCopy copy : ordered) {
      CopyRank standing = copy.initializing() ? CopyRank.INITIALIZING : CopyRank.SCORED;
      candidates.add(new Candidate(copy, candidates.size() + 1, standing, 0, List.of(), words));
    }
    return new RankingExplanation(policy, "", phase, List.copyOf(candidates));
  }

  private static Candidate candidate(ExplainedCopy judged, int place, ExplainedCopy best) {
    return new Candidate(
        judged.copy(),
        place,
        judged.copyRank(),
        judged.score(),
        judged.terms(),
        reason(judged, place, best));
  }

  private static String reason(ExplainedCopy judged, int place, ExplainedCopy best) {
    String words = judged.copyRank().description();
    if (words.isEmpty()) {
      words =
          place == 1
              ? "lowest score"
              : String.format(
                  Locale.ROOT, "score %.2f times the first one's", judged.score() / best.score());
    }
    return judged.remotePenalty() == 1
        ? words
        : words + String.format(Locale.ROOT, "; far: score times %.2f", judged.remotePenalty());
  }
}
