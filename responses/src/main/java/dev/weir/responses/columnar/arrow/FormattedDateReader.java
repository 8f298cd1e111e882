package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchParseException;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.time.DateFormatters;

/**
 * Reads a column's dates in the format of its mappings, where {@link PlainValueParser#parseInstant}
 * cannot read them. Used by one thread.
 */
final class FormattedDateReader {
  private static final String EPOCH_FORMATS = "epoch_millis";

  private final Column column;
  private @Nullable String format;
  private @Nullable DateFormatter formatter;

  FormattedDateReader(Column column) {
    this.column = column;
  }

  /** Returns true if the dates' format is known; complete dates in UTC are then always readable. */
  boolean isFormatKnown() {
    return column.dateFormat() != null;
  }

  /** Parses a date; null if the text is no date in the column's format. */
  @Nullable Instant parse(String text) {
    String declared = column.dateFormat();
    if (declared == null) {
      return null;
    }
    boolean numbersAreMillis =
        declared.equals(Column.STANDARD_FORMAT) || declared.equals(EPOCH_FORMATS);
    if (numbersAreMillis && isEpochNumber(text)) {
      try {
        return Instant.ofEpochMilli(Long.parseLong(text));
      } catch (NumberFormatException tooLong) {
        return null;
      }
    }
    DateFormatter reader = formatter(declared);
    try {
      return reader == null ? null : DateFormatters.from(reader.parse(text)).toInstant();
    } catch (IllegalArgumentException | OpenSearchParseException | DateTimeException malformed) {
      return null;
    }
  }

  /** Returns the parser of a format; null for an unsupported format, with dates that stay text. */
  private @Nullable DateFormatter formatter(String declared) {
    if (!declared.equals(format)) {
      format = declared;
      try {
        formatter = DateFormatter.forPattern(declared);
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
