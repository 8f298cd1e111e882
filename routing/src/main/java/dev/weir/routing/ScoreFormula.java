package dev.weir.routing;

import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Term;
import java.util.ArrayList;
import java.util.List;

/**
 * What a policy weighs nodes by: the names of the numbers behind a score. Immutable.
 *
 * @param policy its name in the configuration; empty where it has none
 * @param expression what the score is; empty where there is none
 * @param termSpecs of the numbers, in the order in which they are written down; times are in ms
 */
public record ScoreFormula(String policy, String expression, List<TermSpec> termSpecs) {
  /** Weighs by nothing. */
  static final ScoreFormula NONE = new ScoreFormula("", "", List.of());

  /**
   * What a number is.
   *
   * @param name as in the formula
   * @param unit such as ms; empty for a plain number
   */
  public record TermSpec(String name, String unit) {
    static TermSpec millis(String term) {
      return new TermSpec(term, "ms");
    }

    static TermSpec number(String term) {
      return new TermSpec(term, "");
    }
  }

  /** How many numbers there are for a node: its score, and those behind it. */
  int valueCount() {
    return 1 + termSpecs.size();
  }

  /** A copy that has no score. */
  ScoredCopy unscoredCopy(ShardCopy copy) {
    CopyRank standing = copy.initializing() ? CopyRank.INITIALIZING : CopyRank.SCORED;
    return new ScoredCopy(copy.nodeId(), standing, this, new double[valueCount()]);
  }

  /** The numbers behind a score with their names. */
  List<Term> terms(double[] numbers, int at) {
    List<Term> terms = new ArrayList<>(termSpecs.size());
    for (int i = 0; i < termSpecs.size(); i++) {
      terms.add(new Term(termSpecs.get(i).name(), numbers[at + i], termSpecs.get(i).unit()));
    }
    return terms;
  }
}
