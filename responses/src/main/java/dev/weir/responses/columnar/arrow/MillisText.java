package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.responses.columnar.table.Longs;

/** Reads dates such as {@code 2026-11-21T23:03:00.123Z}, whose 24 bytes are three numbers. */
final class MillisText {
  static final int LENGTH = 24;

  private static final Part DATE = Part.of("0000-00-");
  private static final Part TIME = Part.of("00T00:00");
  private static final Part REST = Part.of(":00.000Z");

  private MillisText() {}

  /**
   * Eight bytes of such a date.
   *
   * @param text what they are where each digit is a zero
   * @param above what makes the highest bit of a byte that differs by more than a digit, if added
   *     to the difference
   */
  private record Part(long text, long above) {
    static Part of(String pattern) {
      byte[] text = pattern.getBytes(US_ASCII);
      byte[] above = new byte[Long.BYTES];
      for (int i = 0; i < above.length; i++) {
        above[i] = (byte) (text[i] == '0' ? Digits.ABOVE_NINE : 0x7f);
      }
      return new Part(Longs.at(text, 0), Longs.at(above, 0));
    }
  }

  /** Milliseconds since 1970; {@link PlainText#UNKNOWN} for what is no such date. */
  static long instant(byte[] bytes, int from) {
    long date = Longs.at(bytes, from) ^ DATE.text;
    long time = Longs.at(bytes, from + Long.BYTES) ^ TIME.text;
    long rest = Longs.at(bytes, from + 2 * Long.BYTES) ^ REST.text;
    boolean fits =
        Digits.within(date, DATE.above)
            && Digits.within(time, TIME.above)
            && Digits.within(rest, REST.above);
    if (!fits) {
      return PlainText.UNKNOWN;
    }
    long day = day(Digits.pairs(date), pair(Digits.pairs(time), 0));
    long millis = millis(Digits.pairs(time), Digits.pairs(rest), pair(rest, 6));
    return day == PlainText.UNKNOWN || millis < 0 ? PlainText.UNKNOWN : day + millis;
  }

  /** When a day begins. */
  private static long day(long date, int day) {
    int year = pair(date, 0) * 100 + pair(date, 2);
    int month = pair(date, 5);
    if (!PlainText.isDay(year, month, day)) {
      return PlainText.UNKNOWN;
    }
    return PlainText.day(year, month, day) * 86_400_000;
  }

  /** How late it is on the day; -1 where it is never so late. */
  private static int millis(long time, long rest, int lastDigit) {
    int hour = pair(time, 3);
    int minute = pair(time, 6);
    int second = pair(rest, 1);
    if (hour > 23 || minute > 59 || second > 59) {
      return -1;
    }
    return ((hour * 60 + minute) * 60 + second) * 1000 + pair(rest, 4) * 10 + lastDigit;
  }

  private static int pair(long pairs, int at) {
    return (int) (pairs >>> (Byte.SIZE * at)) & 0xff;
  }
}
