package dev.weir.node.columns;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.index.mapper.DateFieldMapper;
import org.opensearch.index.mapper.MappedFieldType;
import org.opensearch.search.DocValueFormat;

/**
 * Recognizes the fields whose dates appear as {@code yyyy-MM-dd'T'HH:mm:ss.SSS'Z'}, which is what
 * dates without a format of their own do. The gateway writes that text, or none for Arrow.
 */
final class DateTexts {
  private static final long FIRST_MILLIS = Instant.parse("0001-01-01T00:00:00.000Z").toEpochMilli();
  private static final long LAST_MILLIS = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

  /** Names of the format that prints this text first; others that name it are not recognized. */
  private static final Set<String> PATTERNS =
      Set.of(
          "strict_date_optional_time",
          "strict_date_optional_time||epoch_millis",
          "strict_date_time_no_millis||strict_date_optional_time||epoch_millis");

  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Moments at which a format that prints another text would show it. */
  private static final long[] PROBES = {
    FIRST_MILLIS, -1, 0, 1, 100, 1_234_567_890_123L, 951_782_400_000L, LAST_MILLIS
  };

  /** The probed formats, by locale and pattern; mappings have few of them. */
  private static final Map<String, Boolean> IS_PLAIN = new ConcurrentHashMap<>();

  private DateTexts() {}

  /** Returns whether the text of a date can be written from its milliseconds. */
  static boolean isPrintable(long millis) {
    return millis >= FIRST_MILLIS && millis <= LAST_MILLIS;
  }

  /**
   * Returns whether a field's dates appear in this text.
   *
   * @param format the format of the field's doc values
   */
  static boolean isPlain(MappedFieldType type, DocValueFormat format) {
    if (!(type instanceof DateFieldMapper.DateFieldType date)
        || date.resolution() != DateFieldMapper.Resolution.MILLISECONDS
        || !PATTERNS.contains(date.dateTimeFormatter().pattern())) {
      return false;
    }
    String printer = date.dateTimeFormatter().locale() + " " + date.dateTimeFormatter().pattern();
    return IS_PLAIN.computeIfAbsent(printer, unknown -> printsText(format));
  }

  private static boolean printsText(DocValueFormat format) {
    for (long probe : PROBES) {
      if (!TEXT.format(Instant.ofEpochMilli(probe)).equals(format.format(probe))) {
        return false;
      }
    }
    return true;
  }
}
