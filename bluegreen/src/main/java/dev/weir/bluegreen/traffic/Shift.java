package dev.weir.bluegreen.traffic;

import java.util.Map;

/**
 * Weights that stand in for those of the file.
 *
 * @param weights by cluster
 * @param by who said so: {@code admin} or {@code rollback}
 * @param why in words
 * @param sinceMillis the clock on the wall
 */
record Shift(Map<String, Double> weights, String by, String why, long sinceMillis) {
  /** Who says so: an operator. */
  static final String ADMIN = "admin";

  /** Who says so: a budget that was spent. */
  static final String ROLLBACK = "rollback";

  /** For the requests of all policies. */
  static final String ALL = "*";

  /** For those without a policy, and those whose policy splits as the whole gateway does. */
  static final String STANDARD = "";
}
