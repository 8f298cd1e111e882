package dev.weir.testkit.compare;

/**
 * One thing in which two answers differ.
 *
 * @param location in the answer, such as {@code body hits.total.value}
 * @param reference what the node answered
 * @param candidate what the gateway answered
 */
public record Difference(String location, String reference, String candidate) {
  private static final int MAX_LENGTH = 400;

  /** Shortens long values. */
  public Difference {
    reference = truncate(reference);
    candidate = truncate(candidate);
  }

  private static String truncate(String value) {
    return value.length() <= MAX_LENGTH
        ? value
        : value.substring(0, MAX_LENGTH) + "... (" + value.length() + " characters)";
  }

  @Override
  public String toString() {
    return location + "\n      reference " + reference + "\n      candidate " + candidate;
  }
}
