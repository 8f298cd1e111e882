package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Difference;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is found while two answers are compared. Confined to the thread that compares. */
final class DifferenceCollector {
  private static final int MAX_VALUE_LENGTH = 160;
  private static final int MAX_SHOWN_ELEMENTS = 16;

  private final Map<Kind, Difference> differences = new EnumMap<>(Kind.class);
  private boolean hasNearMatch;
  private @Nullable Reason incomparableReason;
  private double minOverlap = Double.NaN;
  private double maxScoreDeviation;

  /**
   * Something differs.
   *
   * @param primary null where there is nothing
   * @param shadow null where there is nothing
   */
  void add(Kind kind, String path, @Nullable Object primary, @Nullable Object shadow) {
    if (!differences.containsKey(kind)) {
      differences.put(kind, new Difference(kind, path, format(primary), format(shadow)));
    }
  }

  /** Something differs within its tolerance. */
  void recordNearMatch() {
    hasNearMatch = true;
  }

  /** A part can't be compared. */
  void recordIncomparable(Reason reason) {
    if (incomparableReason == null) {
      incomparableReason = reason;
    }
  }

  /** Two rankings overlap so far. */
  void recordOverlap(double rbo) {
    minOverlap = Double.isNaN(minOverlap) ? rbo : Math.min(minOverlap, rbo);
  }

  /** A document's scores are so far apart. */
  void recordScoreDeviation(double apart) {
    maxScoreDeviation = Math.max(maxScoreDeviation, apart);
  }

  /** The smallest overlap of rankings; NaN for none. */
  double minOverlap() {
    return minOverlap;
  }

  /** The most that a document's scores are apart, as a share of the larger. */
  double maxScoreDeviation() {
    return maxScoreDeviation;
  }

  /** What it comes to: a difference counts also where another part could not be compared. */
  ComparisonVerdict toVerdict() {
    if (!differences.isEmpty()) {
      return new ComparisonVerdict.Different(List.copyOf(differences.values()));
    }
    if (incomparableReason != null) {
      return new ComparisonVerdict.NotComparable(incomparableReason);
    }
    return hasNearMatch ? new ComparisonVerdict.Similar() : new ComparisonVerdict.Same();
  }

  private static String format(@Nullable Object value) {
    if (value == null) {
      return "nothing";
    }
    StringBuilder text = new StringBuilder();
    appendValue(text, value);
    if (text.length() > MAX_VALUE_LENGTH) {
      text.setLength(MAX_VALUE_LENGTH);
      text.append("...");
    }
    return text.toString();
  }

  /** Writes what fits into a line. */
  private static void appendValue(StringBuilder text, Object value) {
    if (text.length() > MAX_VALUE_LENGTH) {
      return;
    }
    switch (value) {
      case Map<?, ?> members -> {
        text.append('{');
        String comma = "";
        for (Map.Entry<?, ?> member : members.entrySet()) {
          text.append(comma).append(member.getKey()).append(": ");
          appendValue(text, member.getValue());
          comma = ", ";
          if (text.length() > MAX_VALUE_LENGTH) {
            return;
          }
        }
        text.append('}');
      }
      case List<?> elements -> {
        text.append('[');
        int shown = Math.min(MAX_SHOWN_ELEMENTS, elements.size());
        for (int i = 0; i < shown; i++) {
          text.append(i == 0 ? "" : ", ");
          appendValue(text, elements.get(i));
        }
        text.append(shown < elements.size() ? ", ...]" : "]");
      }
      case BigDecimal decimal -> text.append(decimal.toString());
      default -> appendLine(text, value.toString());
    }
  }

  private static void appendLine(StringBuilder text, String value) {
    for (int i = 0; i < value.length() && text.length() <= MAX_VALUE_LENGTH; i++) {
      char c = value.charAt(i);
      text.append(Character.isISOControl(c) ? ' ' : c);
    }
  }
}
