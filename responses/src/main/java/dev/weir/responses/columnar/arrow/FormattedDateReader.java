package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchParseException;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.time.DateFormatters;

/**
 * Reads a column's dates in the format that its mappings say, where they are not {@linkplain
 * PlainValueParser#parseInstant written plainly}. Used by one thread.
 */
final class FormattedDateReader {
  private static final String EPOCH_FORMATS = "epoch_millis";

  private final Column column;
  private @Nullable String format;
  private @Nullable DateFormatter formatter;

  FormattedDateReader(Column column) {
    this.column = column;
  }

  /** Whether it is known how dates are written; full ones in UTC are always understood then. */
  boolean isFormatKnown() {
    return column.dateFormat() != null;
  }

  /** What a date's text is; null for none. */
  @Nullable Instant parse(String text) {
    String said = column.dateFormat();
    if (said == null) {
      return null;
    }
    boolean numbersAreMillis = said.equals(Column.STANDARD_FORMAT) || said.equals(EPOCH_FORMATS);
    if (numbersAreMillis && isEpochNumber(text)) {
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

  private static boolean isEpochNumber(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && !(i == 0 && c == '-' && text.length() > 1)) {
        return false;
      }
    }
    return text.length() > 4; // shorter ones may be years
  }
}
