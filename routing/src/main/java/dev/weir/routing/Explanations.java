package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.Explanation.Candidate;
import dev.weir.routing.Explanation.Term;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Puts in words why copies are in an order. */
final class Explanations {
  private Explanations() {}

  /** A copy with what decides its place. */
  record Judged(
      ShardCopy copy, Standing standing, double score, List<Term> terms, double awayFactor) {}

  static Explanation explain(
      Rank rank, Phase phase, List<ShardCopy> copies, Function<ShardCopy, Judged> judge) {
    List<Judged> judged = new ArrayList<>();
    copies.forEach(copy -> judged.add(judge.apply(copy)));
    judged.sort(Comparator.comparing(Judged::standing).thenComparingDouble(Judged::score));
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < judged.size(); i++) {
      candidates.add(candidate(judged.get(i), i + 1, judged.getFirst()));
    }
    return new Explanation(
        rank.scale().policy(), rank.scale().formula(), phase, List.copyOf(candidates));
  }

  /** What there is to say about a policy without scores. */
  static Explanation inOrder(String policy, List<ShardCopy> ordered, Phase phase, String words) {
    List<Candidate> candidates = new ArrayList<>();
    for (ShardCopy copy : ordered) {
      Standing standing = copy.initializing() ? Standing.INITIALIZING : Standing.KNOWN;
      candidates.add(new Candidate(copy, candidates.size() + 1, standing, 0, List.of(), words));
    }
    return new Explanation(policy, "", phase, List.copyOf(candidates));
  }

  private static Candidate candidate(Judged judged, int place, Judged best) {
    return new Candidate(
        judged.copy(),
        place,
        judged.standing(),
        judged.score(),
        judged.terms(),
        reason(judged, place, best));
  }

  private static String reason(Judged judged, int place, Judged best) {
    String words = judged.standing().words();
    if (words.isEmpty()) {
      words =
          place == 1
              ? "lowest score"
              : String.format(
                  Locale.ROOT, "score %.2f times the first one's", judged.score() / best.score());
    }
    return judged.awayFactor() == 1
        ? words
        : words + String.format(Locale.ROOT, "; far: score times %.2f", judged.awayFactor());
  }
}
