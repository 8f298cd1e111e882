package dev.weir.rest.warnings;

import dev.weir.model.NodeRequestRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Drops the deprecation warnings of a response that exceed the nodes' {@code
 * http.max_warning_header_count} and {@code http.max_warning_header_size}, as a node's {@code
 * ThreadContext} does.
 */
public final class WarningHeaderLimiter {
  public static final String HEADER = "Warning";

  private WarningHeaderLimiter() {}

  /** Returns the warnings that a node would send, in order. */
  public static List<String> limit(List<String> warnings, NodeRequestRules.Limits limits) {
    if (limits.maxWarnings() == NodeRequestRules.UNLIMITED
        && limits.maxWarningBytes() == NodeRequestRules.UNLIMITED) {
      return warnings;
    }
    List<String> kept = new ArrayList<>();
    long bytes = 0;
    for (String warning : warnings) {
      bytes += HEADER.length() + warning.getBytes(StandardCharsets.UTF_8).length;
      boolean fits =
          limits.maxWarningBytes() == NodeRequestRules.UNLIMITED
              || bytes <= limits.maxWarningBytes();
      boolean counts =
          limits.maxWarnings() == NodeRequestRules.UNLIMITED || kept.size() < limits.maxWarnings();
      if (fits && counts) {
        kept.add(warning);
      }
    }
    return kept;
  }
}
