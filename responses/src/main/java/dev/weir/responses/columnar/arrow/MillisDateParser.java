package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.model.PackedBytes;

/** Parses dates like {@code 2026-11-21T23:03:00.123Z}; it reads their 24 bytes as three longs. */
final class MillisDateParser {
  static final int LENGTH = 24;

  private static final DatePart DATE = DatePart.fromPattern("0000-00-");
  private static final DatePart TIME = DatePart.fromPattern("00T00:00");
  private static final DatePart MILLIS_AND_ZONE = DatePart.fromPattern(":00.000Z");

  private MillisDateParser() {}

  /**
   * Eight bytes of the date's pattern.
   *
   * @param zeroPattern the bytes with a zero for each digit
   * @param overflowBias added to the difference from the pattern, this sets the highest bit of each
   *     byte that differs by more than a digit
   */
  private record DatePart(long zeroPattern, long overflowBias) {
    static DatePart fromPattern(String pattern) {
      byte[] text = pattern.getBytes(US_ASCII);
      byte[] above = new byte[Long.BYTES];
      for (int i = 0; i < above.length; i++) {
        above[i] = (byte) (text[i] == '0' ? AsciiDigits.ABOVE_NINE_BIAS : 0x7f);
      }
      return new DatePart(PackedBytes.readLong(text, 0), PackedBytes.readLong(above, 0));
    }
  }

  /** Returns milliseconds since 1970; {@link PlainValueParser#UNPARSEABLE} for other texts. */
  static long parseMillis(byte[] bytes, int from) {
    long date = PackedBytes.readLong(bytes, from) ^ DATE.zeroPattern;
    long time = PackedBytes.readLong(bytes, from + Long.BYTES) ^ TIME.zeroPattern;
    long rest = PackedBytes.readLong(bytes, from + 2 * Long.BYTES) ^ MILLIS_AND_ZONE.zeroPattern;
    boolean fits =
        AsciiDigits.isBelow128(date, DATE.overflowBias)
            && AsciiDigits.isBelow128(time, TIME.overflowBias)
            && AsciiDigits.isBelow128(rest, MILLIS_AND_ZONE.overflowBias);
    if (!fits) {
      return PlainValueParser.UNPARSEABLE;
    }
    long day = parseDay(AsciiDigits.combinePairs(date), pairAt(AsciiDigits.combinePairs(time), 0));
    long millis =
        parseTimeOfDay(
            AsciiDigits.combinePairs(time), AsciiDigits.combinePairs(rest), pairAt(rest, 6));
    return day == PlainValueParser.UNPARSEABLE || millis < 0
        ? PlainValueParser.UNPARSEABLE
        : day + millis;
  }

  /** Returns the start of a day in milliseconds since 1970. */
  private static long parseDay(long date, int day) {
    int year = pairAt(date, 0) * 100 + pairAt(date, 2);
    int month = pairAt(date, 5);
    if (!PlainValueParser.isValidDate(year, month, day)) {
      return PlainValueParser.UNPARSEABLE;
    }
    return PlainValueParser.epochDay(year, month, day) * 86_400_000;
  }

  /** Returns the milliseconds since the start of the day; -1 for an invalid time. */
  private static int parseTimeOfDay(long time, long rest, int lastDigit) {
    int hour = pairAt(time, 3);
    int minute = pairAt(time, 6);
    int second = pairAt(rest, 1);
    if (hour > 23 || minute > 59 || second > 59) {
      return -1;
    }
    return ((hour * 60 + minute) * 60 + second) * 1000 + pairAt(rest, 4) * 10 + lastDigit;
  }

  private static int pairAt(long pairs, int at) {
    return (int) (pairs >>> (Byte.SIZE * at)) & 0xff;
  }
}
