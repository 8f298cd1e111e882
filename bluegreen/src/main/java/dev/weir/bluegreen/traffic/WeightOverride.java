package dev.weir.bluegreen.traffic;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Weights in force instead of the configured ones.
 *
 * @param weights by cluster
 * @param source who set them: {@code admin} or {@code rollback}
 * @param reason for people
 * @param sinceMillis wall clock time
 */
record WeightOverride(Map<String, Double> weights, String source, String reason, long sinceMillis) {
  /** The source is an operator. */
  static final String SOURCE_ADMIN = "admin";

  /** The source is an automatic rollback. */
  static final String SOURCE_ROLLBACK = "rollback";

  /** Applies to all policies. */
  static final String SCOPE_ALL = "*";

  /**
   * Applies to requests without a named policy, and to policies with the same configured weights.
   */
  static final String SCOPE_DEFAULT = "";

  /** Returns each cluster's share in words, such as {@code blue 25 %, green 75 %}. */
  String describeShares() {
    double sum = weights.values().stream().mapToDouble(weight -> weight).sum();
    return new TreeMap<>(weights)
        .entrySet().stream()
            .map(one -> one.getKey() + ' ' + Math.round(100 * one.getValue() / sum) + " %")
            .collect(Collectors.joining(", "));
  }
}
