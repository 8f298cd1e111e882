package dev.weir.responses.columnar.arrow;

import dev.weir.model.PackedBytes;

/**
 * Parses the common notations of numbers and dates from bytes, without creating strings. A text
 * that it cannot parse may still be valid: the caller parses it in another way.
 */
final class PlainValueParser {
  /** The result for all other notations. */
  static final long UNPARSEABLE = Long.MIN_VALUE;

  private static final long DECIMAL_POINTS = PackedBytes.repeat('.');
  private static final int MAX_DIGITS = 15;
  private static final int NANO_DIGITS = 9;
  private static final int FIRST_NANO_YEAR = 1678;
  private static final int LAST_NANO_YEAR = 2261;
  private static final int DAYS_BEFORE_1970 = 719_468;
  private static final int DAYS_OF_400_YEARS = 146_097;

  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private PlainValueParser() {}

  /**
   * Parses a number of at most fifteen digits, with an optional fraction and sign; NaN for others.
   * The digits as a whole number and the power of ten that divides them are exact doubles, so the
   * quotient is the nearest double (Clinger, How to Read Floating Point Numbers Accurately, 1990).
   */
  static double parseDecimal(byte[] text, int from, int to) {
    if (isShortDecimal(text, from, to)) {
      double number = parseShortDecimal(PackedBytes.readLong(text, from), to - from);
      if (number >= 0) {
        return number;
      }
    }
    return parseAnyDecimal(text, from, to);
  }

  /** Returns true if one eight-byte read covers the whole text. */
  private static boolean isShortDecimal(byte[] text, int from, int to) {
    return from < to && to - from <= Long.BYTES && from <= text.length - Long.BYTES;
  }

  /**
   * Parses a decimal of up to eight bytes, the first one in the lowest byte; negative for others.
   */
  private static double parseShortDecimal(long text, int length) {
    int point = PackedBytes.bytesBelow(PackedBytes.zeroByteMask(text ^ DECIMAL_POINTS));
    if (point >= length) {
      return AsciiDigits.parse(text, length);
    }
    int places = length - 1 - point;
    if (point == 0 || places == 0) {
      return -1;
    }
    long behind = -1L << (Byte.SIZE * point);
    long digits = (text & ~behind) | (text >>> Byte.SIZE & behind);
    return AsciiDigits.parse(digits, length - 1) / POWERS[places];
  }

  /** Parses a whole number of at most eighteen digits with an optional minus sign. */
  static long parseLong(byte[] text, int from, int to) {
    if (isShortDecimal(text, from, to)) {
      long number = AsciiDigits.parse(PackedBytes.readLong(text, from), to - from);
      if (number >= 0) {
        return number;
      }
    }
    return parseAnyLong(text, from, to);
  }

  private static long parseAnyLong(byte[] text, int from, int to) {
    int at = text[from] == '-' ? from + 1 : from;
    long sum = 0;
    for (int i = at; i < to; i++) {
      sum = sum * 10 + text[i] - '0';
    }
    return at > from ? -sum : sum;
  }

  private static double parseAnyDecimal(byte[] text, int from, int to) {
    boolean minus = from < to && text[from] == '-';
    int first = minus ? from + 1 : from;
    long digits = 0;
    int point = -1;
    for (int i = first; i < to; i++) {
      int digit = text[i] - '0';
      if (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
      } else if (text[i] == '.' && point < 0 && i > first) {
        point = i;
      } else {
        return Double.NaN;
      }
    }
    int count = to - first - (point < 0 ? 0 : 1);
    int fraction = point < 0 ? 0 : to - point - 1;
    if (count < 1 || count > MAX_DIGITS || (point >= 0 && fraction == 0)) {
      return Double.NaN;
    }
    double value = digits / POWERS[fraction];
    return minus ? -value : value;
  }

  /**
   * Parses a date like {@code 2026-11-21T23:03:00.123456789Z}, with an optional fraction, to
   * milliseconds or nanoseconds since 1970; {@link #UNPARSEABLE} for other texts.
   */
  static long parseInstant(byte[] text, int from, int to, boolean nanos) {
    if (to - from == MillisDateParser.LENGTH && !nanos) {
      return MillisDateParser.parseMillis(text, from);
    }
    return parseAnyInstant(text, from, to, nanos);
  }

  private static long parseAnyInstant(byte[] text, int from, int to, boolean nanos) {
    int length = to - from;
    boolean fits =
        length >= 20
            && length <= 30
            && text[from + 4] == '-'
            && text[from + 7] == '-'
            && text[from + 10] == 'T'
            && text[from + 13] == ':'
            && text[from + 16] == ':'
            && text[to - 1] == 'Z'
            && (length == 20 || (length > 21 && text[from + 19] == '.'));
    if (!fits) {
      return UNPARSEABLE;
    }
    int year = parseDigits(text, from, 4);
    int month = parseDigits(text, from + 5, 2);
    int day = parseDigits(text, from + 8, 2);
    int hour = parseDigits(text, from + 11, 2);
    int minute = parseDigits(text, from + 14, 2);
    int second = parseDigits(text, from + 17, 2);
    int fraction = length == 20 ? 0 : parseDigits(text, from + 20, length - 21);
    if ((year | month | day | hour | minute | second | fraction) < 0
        || !isValidDate(year, month, day)
        || hour > 23
        || minute > 59
        || second > 59
        || (nanos && (year < FIRST_NANO_YEAR || year > LAST_NANO_YEAR))) {
      return UNPARSEABLE;
    }
    for (int i = length - 21; length > 20 && i < NANO_DIGITS; i++) {
      fraction *= 10;
    }
    long seconds = ((epochDay(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    return nanos ? seconds * 1_000_000_000 + fraction : seconds * 1000 + fraction / 1_000_000;
  }

  static boolean isValidDate(int year, int month, int day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  }

  private static int daysInMonth(int year, int month) {
    return switch (month) {
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  /**
   * Returns days since 1970. Years start in March here, so that a leap day is the last day of its
   * year.
   */
  static long epochDay(int year, int month, int day) {
    int years = month > 2 ? year : year - 1;
    int era = Math.floorDiv(years, 400);
    int ofEra = years - era * 400;
    int ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int days = ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear;
    return (long) era * DAYS_OF_400_YEARS + days - DAYS_BEFORE_1970;
  }

  /** Parses digits; -1 if another character is among them. */
  private static int parseDigits(byte[] text, int from, int count) {
    int number = 0;
    for (int i = from; i < from + count; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
