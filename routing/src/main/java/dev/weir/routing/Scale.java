package dev.weir.routing;

import dev.weir.model.ShardCopy;
import dev.weir.routing.Explanation.Term;
import java.util.ArrayList;
import java.util.List;

/**
 * What a policy weighs nodes by: the names of the numbers behind a score. Immutable.
 *
 * @param policy its name in the configuration; empty where it has none
 * @param formula what the score is; empty where there is none
 * @param names of the numbers, in the order in which they are written down; times are in ms
 */
public record Scale(String policy, String formula, List<Name> names) {
  /** Weighs by nothing. */
  static final Scale NONE = new Scale("", "", List.of());

  /**
   * What a number is.
   *
   * @param term as in the formula
   * @param unit such as ms; empty for a plain number
   */
  public record Name(String term, String unit) {
    static Name millis(String term) {
      return new Name(term, "ms");
    }

    static Name number(String term) {
      return new Name(term, "");
    }
  }

  /** How many numbers there are for a node: its score, and those behind it. */
  int width() {
    return 1 + names.size();
  }

  /** A copy that has no score. */
  Weighed unweighed(ShardCopy copy) {
    Standing standing = copy.initializing() ? Standing.INITIALIZING : Standing.KNOWN;
    return new Weighed(copy.nodeId(), standing, this, new double[width()]);
  }

  /** The numbers behind a score with their names. */
  List<Term> terms(double[] numbers, int at) {
    List<Term> terms = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      terms.add(new Term(names.get(i).term(), numbers[at + i], names.get(i).unit()));
    }
    return terms;
  }
}
