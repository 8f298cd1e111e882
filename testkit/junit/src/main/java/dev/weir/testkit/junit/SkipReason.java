package dev.weir.testkit.junit;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells a reason that somebody wrote down from the text that JUnit makes up without one. */
final class SkipReason {
  /** JUnit's own text of a condition, before the reason that the test gives. */
  private static final Pattern GIVEN = Pattern.compile(".* ==> (.+)", Pattern.DOTALL);

  /** What JUnit says of a condition that has no reason. */
  private static final Pattern MADE_UP =
      Pattern.compile(
          ".* is @\\w+|(?:Disabled|Enabled) on .*|"
              + "(?:System property|Environment variable) \\[.*|@\\w+(?: on .*)? .*",
          Pattern.DOTALL);

  private static final String ASSUMPTION = "Assumption failed: ";
  private static final Pattern BARE_ASSUMPTION =
      Pattern.compile(
          "assumption (?:is not true|is not false|was not met due to:\\s*Expecting.*)",
          Pattern.DOTALL);

  private SkipReason() {}

  /** The reason of a condition such as {@code @EnabledOnOs}; null when nobody gave one. */
  static @Nullable String ofCondition(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return null;
    }
    var given = GIVEN.matcher(text);
    if (given.matches()) {
      return oneLine(given.group(1));
    }
    return MADE_UP.matcher(text).matches() ? null : oneLine(text);
  }

  /** The reason of a failed assumption; null when nobody gave one. */
  static @Nullable String ofAssumption(@Nullable String text) {
    if (text == null) {
      return null;
    }
    String reason = text.startsWith(ASSUMPTION) ? text.substring(ASSUMPTION.length()) : text;
    return reason.isBlank() || BARE_ASSUMPTION.matcher(reason.strip()).matches()
        ? null
        : oneLine(reason);
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
