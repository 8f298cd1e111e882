package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;

/**
 * Why copies are put in an order, for people.
 *
 * @param policy its name in the configuration
 * @param formula what its score is; empty where it has none
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
   * @param reason why it is where it is, in words
   */
  public record Candidate(
      ShardCopy copy,
      int position,
      CopyRank copyRank,
      double score,
      List<Term> terms,
      String reason) {}

  /**
   * One number behind a score.
   *
   * @param name as in the formula
   * @param unit such as ms; empty for a plain number
   */
  public record Term(String name, double value, String unit) {}
}
