package dev.weir.bluegreen.traffic;

import java.util.Map;

/**
 * Weights that stand in for those of the file.
 *
 * @param weights by cluster
 * @param source who said so: {@code admin} or {@code rollback}
 * @param reason in words
 * @param sinceMillis the clock on the wall
 */
record WeightOverride(Map<String, Double> weights, String source, String reason, long sinceMillis) {
  /** Who says so: an operator. */
  static final String SOURCE_ADMIN = "admin";

  /** Who says so: a budget that was spent. */
  static final String SOURCE_ROLLBACK = "rollback";

  /** For the requests of all policies. */
  static final String SCOPE_ALL = "*";

  /** For those without a policy, and those whose policy splits as the whole gateway does. */
  static final String SCOPE_DEFAULT = "";
}
