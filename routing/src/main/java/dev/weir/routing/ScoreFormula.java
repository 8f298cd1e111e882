package dev.weir.routing;

import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Term;
import java.util.ArrayList;
import java.util.List;

/**
 * The formula of a policy's score and the names of its terms. Immutable.
 *
 * @param policy its name in the configuration; empty for none
 * @param expression the formula; empty for none
 * @param termSpecs the terms in output order; times are in ms
 */
public record ScoreFormula(String policy, String expression, List<TermSpec> termSpecs) {
  /** A policy without scores. */
  static final ScoreFormula NONE = new ScoreFormula("", "", List.of());

  /**
   * The name and the unit of a term.
   *
   * @param name as in the formula
   * @param unit for example ms; empty for a plain number
   */
  public record TermSpec(String name, String unit) {
    private static final String MILLIS = "ms";

    static TermSpec millis(String term) {
      return new TermSpec(term, MILLIS);
    }

    static TermSpec number(String term) {
      return new TermSpec(term, "");
    }
  }

  /** Returns the unit of the score: ns where its terms are times, empty for a plain number. */
  public String scoreUnit() {
    return termSpecs.stream().anyMatch(term -> term.unit().equals(TermSpec.MILLIS)) ? "ns" : "";
  }

  /** Returns the number of values of a node: its score and the terms. */
  int valueCount() {
    return 1 + termSpecs.size();
  }

  /** Returns a copy without a score. */
  ScoredCopy unscoredCopy(ShardCopy copy) {
    CopyRank standing = copy.initializing() ? CopyRank.INITIALIZING : CopyRank.SCORED;
    return new ScoredCopy(copy.nodeId(), standing, this, new double[valueCount()]);
  }

  /** Returns the terms of a score with their names. */
  List<Term> terms(double[] numbers, int at) {
    List<Term> terms = new ArrayList<>(termSpecs.size());
    for (int i = 0; i < termSpecs.size(); i++) {
      terms.add(new Term(termSpecs.get(i).name(), numbers[at + i], termSpecs.get(i).unit()));
    }
    return terms;
  }
}
