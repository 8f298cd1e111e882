package dev.weir.testkit.compare;

/**
 * One thing in which two answers differ.
 *
 * @param where in the answer, such as {@code body hits.total.value}
 * @param reference what the node answered
 * @param candidate what the gateway answered
 */
public record Difference(String where, String reference, String candidate) {
  private static final int LONGEST = 400;

  /** Shortens long values. */
  public Difference {
    reference = shortened(reference);
    candidate = shortened(candidate);
  }

  private static String shortened(String value) {
    return value.length() <= LONGEST
        ? value
        : value.substring(0, LONGEST) + "... (" + value.length() + " characters)";
  }

  @Override
  public String toString() {
    return where + "\n      reference " + reference + "\n      candidate " + candidate;
  }
}
