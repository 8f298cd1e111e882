package dev.weir.routing;

/** What a copy's node was weighed by at one moment, without chance. Immutable. */
public final class Weighed {
  private final String nodeId;
  private final Standing standing;
  private final Scale scale;
  private final double score;

  /** To seven digits: there are many, they are kept for a while, and people look at them. */
  private final float[] numbers;

  /**
   * Copies numbers.
   *
   * @param from the score, then the numbers behind it as the scale names them
   */
  Weighed(String nodeId, Standing standing, Scale scale, double[] from) {
    this.nodeId = nodeId;
    this.standing = standing;
    this.scale = scale;
    this.score = from[0];
    this.numbers = new float[scale.names().size()];
    for (int n = 0; n < numbers.length; n++) {
      numbers[n] = (float) from[1 + n];
    }
  }

  /** The id of the node. */
  public String nodeId() {
    return nodeId;
  }

  /** In which group the copy was. */
  public Standing standing() {
    return standing;
  }

  /** What the numbers are. */
  public Scale scale() {
    return scale;
  }

  /** The score; smaller is better. */
  public double score() {
    return score;
  }

  /** A number behind the score, in the order of the scale's names, from 0. */
  public double number(int n) {
    return numbers[n];
  }
}
