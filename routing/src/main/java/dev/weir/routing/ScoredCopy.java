package dev.weir.routing;

/** A copy with its node's score and terms at one moment, without jitter. Immutable. */
public final class ScoredCopy {
  private final String nodeId;
  private final CopyRank copyRank;
  private final ScoreFormula formula;
  private final double score;

  /** Floats suffice: seven digits for display, in many objects that are kept for a while. */
  private final float[] termValues;

  /**
   * Copies the values.
   *
   * @param from the score, then its terms in the formula's order
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

  private ScoredCopy(ScoredCopy like, CopyRank copyRank) {
    this.nodeId = like.nodeId;
    this.copyRank = copyRank;
    this.formula = like.formula;
    this.score = like.score;
    this.termValues = like.termValues;
  }

  /** Returns the same with another rank group. */
  ScoredCopy withRank(CopyRank other) {
    return new ScoredCopy(this, other);
  }

  public String nodeId() {
    return nodeId;
  }

  /** Returns the rank group of the copy. */
  public CopyRank copyRank() {
    return copyRank;
  }

  /** Returns the formula of the score. */
  public ScoreFormula formula() {
    return formula;
  }

  /** Returns the score; smaller is better. */
  public double score() {
    return score;
  }

  /** Returns a term of the score by its position in the formula, from 0. */
  public double termValue(int n) {
    return termValues[n];
  }
}
