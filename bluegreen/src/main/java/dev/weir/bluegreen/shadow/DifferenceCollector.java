package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Difference;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the differences of two responses. Confined to the comparing thread. */
final class DifferenceCollector {
  private static final int MAX_VALUE_LENGTH = 160;
  private static final int MAX_SHOWN_ELEMENTS = 16;

  private final Map<Kind, Difference> differences = new EnumMap<>(Kind.class);
  private boolean hasNearMatch;
  private @Nullable Reason incomparableReason;
  private double minOverlap = Double.NaN;
  private double maxScoreDeviation;

  /**
   * Records a difference.
   *
   * @param primary null if absent
   * @param shadow null if absent
   */
  void add(Kind kind, String path, @Nullable Object primary, @Nullable Object shadow) {
    if (!differences.containsKey(kind)) {
      differences.put(kind, new Difference(kind, path, format(primary), format(shadow)));
    }
  }

  /** Records a difference within the tolerance. */
  void recordNearMatch() {
    hasNearMatch = true;
  }

  /** Records that a part is not comparable. */
  void recordIncomparable(Reason reason) {
    if (incomparableReason == null) {
      incomparableReason = reason;
    }
  }

  /** Records the overlap of two rankings. */
  void recordOverlap(double rbo) {
    minOverlap = Double.isNaN(minOverlap) ? rbo : Math.min(minOverlap, rbo);
  }

  /** Records the difference of a document's scores. */
  void recordScoreDeviation(double apart) {
    maxScoreDeviation = Math.max(maxScoreDeviation, apart);
  }

  /** The minimum overlap of rankings; NaN without any. */
  double minOverlap() {
    return minOverlap;
  }

  /** The largest difference of a document's scores, as a share of the larger one. */
  double maxScoreDeviation() {
    return maxScoreDeviation;
  }

  /** The verdict. A difference counts even if another part is not comparable. */
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

  /** Truncates a value to one line; strings have quotes, so that they do not look like numbers. */
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
      case String string -> {
        text.append('"');
        appendLine(text, string);
        text.append('"');
      }
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
