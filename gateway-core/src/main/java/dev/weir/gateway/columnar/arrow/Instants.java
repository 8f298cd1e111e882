package dev.weir.gateway.columnar.arrow;

import dev.weir.gateway.columnar.table.Column;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchParseException;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.time.DateFormatters;

/** Reads a column's dates in the format that its mappings say. Used by one thread. */
final class Instants {
  private static final String NUMBERS = "epoch_millis";
  private static final int NANO_DIGITS = 9;

  private final Column column;
  private @Nullable String format;
  private @Nullable DateFormatter formatter;

  Instants(Column column) {
    this.column = column;
  }

  /** Whether it is known how dates are written; full ones in UTC are always understood then. */
  boolean known() {
    return column.dateFormat() != null;
  }

  /** What a date's text is; null for none. */
  @Nullable Instant of(String text) {
    String said = column.dateFormat();
    if (said == null) {
      return null;
    }
    Instant plain = iso(text);
    if (plain != null) {
      return plain;
    }
    boolean numbersAreMillis = said.equals(Column.STANDARD_FORMAT) || said.equals(NUMBERS);
    if (numbersAreMillis && isNumber(text)) {
      try {
        return Instant.ofEpochMilli(Long.parseLong(text));
      } catch (NumberFormatException tooLong) {
        return null;
      }
    }
    DateFormatter reader = formatter(said);
    try {
      return reader == null ? null : DateFormatters.from(reader.parse(text)).toInstant();
    } catch (IllegalArgumentException | OpenSearchParseException | DateTimeException malformed) {
      return null;
    }
  }

  /** What reads a format; null where it is not understood: its dates stay text. */
  private @Nullable DateFormatter formatter(String said) {
    if (!said.equals(format)) {
      format = said;
      try {
        formatter = DateFormatter.forPattern(said);
      } catch (IllegalArgumentException unknown) {
        formatter = null;
      }
    }
    return formatter;
  }

  private static boolean isNumber(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && !(i == 0 && c == '-' && text.length() > 1)) {
        return false;
      }
    }
    return text.length() > 4; // shorter ones may be years
  }

  /** Reads {@code 2026-11-21T23:03:00.123456789Z}, with or without a fraction; null for others. */
  private static @Nullable Instant iso(String text) {
    int length = text.length();
    boolean fits =
        length >= 20
            && length <= 30
            && text.charAt(4) == '-'
            && text.charAt(7) == '-'
            && text.charAt(10) == 'T'
            && text.charAt(13) == ':'
            && text.charAt(16) == ':'
            && text.charAt(length - 1) == 'Z'
            && (length == 20 || (length > 21 && text.charAt(19) == '.'));
    if (!fits) {
      return null;
    }
    int year = digits(text, 0, 4);
    int month = digits(text, 5, 7);
    int day = digits(text, 8, 10);
    int hour = digits(text, 11, 13);
    int minute = digits(text, 14, 16);
    int second = digits(text, 17, 19);
    int nanos = length == 20 ? 0 : digits(text, 20, length - 1);
    if ((year | month | day | hour | minute | second | nanos) < 0
        || hour > 23
        || minute > 59
        || second > 59) {
      return null;
    }
    for (int i = length - 21; length > 20 && i < NANO_DIGITS; i++) {
      nanos *= 10;
    }
    try {
      long days = LocalDate.of(year, month, day).toEpochDay();
      return Instant.ofEpochSecond(((days * 24 + hour) * 60 + minute) * 60 + second, nanos);
    } catch (DateTimeException noSuchDay) {
      return null;
    }
  }

  /** A number of digits alone; -1 where there is something else. */
  private static int digits(String text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
