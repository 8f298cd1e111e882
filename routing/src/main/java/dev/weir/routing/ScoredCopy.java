package dev.weir.routing;

/** What a copy's node was weighed by at one moment, without chance. Immutable. */
public final class ScoredCopy {
  private final String nodeId;
  private final CopyRank copyRank;
  private final ScoreFormula formula;
  private final double score;

  /** To seven digits: there are many, they are kept for a while, and people look at them. */
  private final float[] termValues;

  /**
   * Copies numbers.
   *
   * @param from the score, then the numbers behind it as the scale names them
   */
  ScoredCopy(String nodeId, CopyRank standing, ScoreFormula scale, double[] from) {
    this.nodeId = nodeId;
    this.copyRank = standing;
    this.formula = scale;
    this.score = from[0];
    this.termValues = new float[scale.termSpecs().size()];
    for (int n = 0; n < termValues.length; n++) {
      termValues[n] = (float) from[1 + n];
    }
  }

  /** The id of the node. */
  public String nodeId() {
    return nodeId;
  }

  /** In which group the copy was. */
  public CopyRank copyRank() {
    return copyRank;
  }

  /** What the numbers are. */
  public ScoreFormula formula() {
    return formula;
  }

  /** The score; smaller is better. */
  public double score() {
    return score;
  }

  /** A number behind the score, in the order of the scale's names, from 0. */
  public double termValue(int n) {
    return termValues[n];
  }
}
