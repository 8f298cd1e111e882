package dev.weir.responses.columnar.arrow;

/**
 * Bounds the members that the objects of all columns have together, because members take memory in
 * addition to the accounted response. Used by one thread.
 */
final class MemberBudget {
  /** The most members; as many as a response may have columns. */
  static final int MAX_MEMBERS = 10_000;

  private int left = MAX_MEMBERS;

  /** Takes one member; returns false if there are too many. */
  boolean take() {
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }
}
