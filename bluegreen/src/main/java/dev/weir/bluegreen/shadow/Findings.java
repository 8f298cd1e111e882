package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Difference;
import dev.weir.bluegreen.shadow.Verdict.Kind;
import dev.weir.bluegreen.shadow.Verdict.Reason;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is found while two answers are compared. Confined to the thread that compares. */
final class Findings {
  private static final int LONGEST_VALUE = 160;
  private static final int SHOWN_ELEMENTS = 16;

  private final Map<Kind, Difference> differences = new EnumMap<>(Kind.class);
  private boolean near;
  private @Nullable Reason unfit;
  private double leastOverlap = Double.NaN;
  private double scoresApart;

  /**
   * Something differs.
   *
   * @param primary null where there is nothing
   * @param shadow null where there is nothing
   */
  void differs(Kind kind, String path, @Nullable Object primary, @Nullable Object shadow) {
    if (!differences.containsKey(kind)) {
      differences.put(kind, new Difference(kind, path, shown(primary), shown(shadow)));
    }
  }

  /** Something differs within its tolerance. */
  void near() {
    near = true;
  }

  /** A part can't be compared. */
  void unfit(Reason reason) {
    if (unfit == null) {
      unfit = reason;
    }
  }

  /** Two rankings overlap so far. */
  void overlap(double rbo) {
    leastOverlap = Double.isNaN(leastOverlap) ? rbo : Math.min(leastOverlap, rbo);
  }

  /** A document's scores are so far apart. */
  void scores(double apart) {
    scoresApart = Math.max(scoresApart, apart);
  }

  /** The smallest overlap of rankings; NaN for none. */
  double leastOverlap() {
    return leastOverlap;
  }

  /** The most that a document's scores are apart, as a share of the larger. */
  double scoresApart() {
    return scoresApart;
  }

  /** What it comes to: a difference counts also where another part could not be compared. */
  Verdict verdict() {
    if (!differences.isEmpty()) {
      return new Verdict.Different(List.copyOf(differences.values()));
    }
    if (unfit != null) {
      return new Verdict.NotComparable(unfit);
    }
    return near ? new Verdict.Similar() : new Verdict.Same();
  }

  private static String shown(@Nullable Object value) {
    if (value == null) {
      return "nothing";
    }
    StringBuilder text = new StringBuilder();
    append(text, value);
    if (text.length() > LONGEST_VALUE) {
      text.setLength(LONGEST_VALUE);
      text.append("...");
    }
    return text.toString();
  }

  /** Writes what fits into a line. */
  private static void append(StringBuilder text, Object value) {
    if (text.length() > LONGEST_VALUE) {
      return;
    }
    switch (value) {
      case Map<?, ?> members -> {
        text.append('{');
        String comma = "";
        for (Map.Entry<?, ?> member : members.entrySet()) {
          text.append(comma).append(member.getKey()).append(": ");
          append(text, member.getValue());
          comma = ", ";
          if (text.length() > LONGEST_VALUE) {
            return;
          }
        }
        text.append('}');
      }
      case List<?> elements -> {
        text.append('[');
        int shown = Math.min(SHOWN_ELEMENTS, elements.size());
        for (int i = 0; i < shown; i++) {
          text.append(i == 0 ? "" : ", ");
          append(text, elements.get(i));
        }
        text.append(shown < elements.size() ? ", ...]" : "]");
      }
      case BigDecimal decimal -> text.append(decimal.toString());
      default -> line(text, value.toString());
    }
  }

  private static void line(StringBuilder text, String value) {
    for (int i = 0; i < value.length() && text.length() <= LONGEST_VALUE; i++) {
      char c = value.charAt(i);
      text.append(Character.isISOControl(c) ? ' ' : c);
    }
  }
}
