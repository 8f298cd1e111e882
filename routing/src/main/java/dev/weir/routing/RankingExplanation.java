package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;

/**
 * Explains the order of copies for people.
 *
 * @param policy its name in the configuration
 * @param formula the formula of its score; empty without scores
 * @param candidates best first
 */
public record RankingExplanation(
    String policy, String formula, Phase phase, List<Candidate> candidates) {

  /**
   * One copy.
   *
   * @param position from 1
   * @param copyRank its group: groups are tried in order, regardless of scores
   * @param score smaller is better; in the unit of the formula
   * @param reason explains the position in words
   */
  public record Candidate(
      ShardCopy copy,
      int position,
      CopyRank copyRank,
      double score,
      List<Term> terms,
      String reason) {}

  /**
   * One term of a score.
   *
   * @param name as in the formula
   * @param unit for example ms; empty for a plain number
   */
  public record Term(String name, double value, String unit) {}
}
