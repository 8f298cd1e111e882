package dev.weir.gateway.columnar.arrow;

/**
 * Reads the plain ways to write numbers and dates from bytes, without making strings of them. What
 * it does not know is not wrong, only to be read otherwise.
 */
final class PlainText {
  /** For all that is not plain. */
  static final long UNKNOWN = Long.MIN_VALUE;

  private static final int MOST_DIGITS = 15;
  private static final int NANO_DIGITS = 9;
  private static final int DAYS_BEFORE_1970 = 719_468;
  private static final int DAYS_OF_400_YEARS = 146_097;

  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private PlainText() {}

  /**
   * A number of at most fifteen digits, with or without a fraction and a minus; NaN for others. Its
   * digits as a whole number and the power of ten to divide them by are exact as doubles, so the
   * quotient is the nearest one (Clinger, How to Read Floating Point Numbers Accurately, 1990).
   */
  static double decimal(byte[] text, int from, int to) {
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
    if (count < 1 || count > MOST_DIGITS || (point >= 0 && fraction == 0)) {
      return Double.NaN;
    }
    double value = digits / POWERS[fraction];
    return minus ? -value : value;
  }

  /**
   * A date such as {@code 2026-11-21T23:03:00.123456789Z}, with or without a fraction, in
   * milliseconds or nanoseconds since 1970; {@link #UNKNOWN} for others.
   */
  static long instant(byte[] text, int from, int to, boolean nanos) {
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
      return UNKNOWN;
    }
    int year = digits(text, from, 4);
    int month = digits(text, from + 5, 2);
    int day = digits(text, from + 8, 2);
    int hour = digits(text, from + 11, 2);
    int minute = digits(text, from + 14, 2);
    int second = digits(text, from + 17, 2);
    int fraction = length == 20 ? 0 : digits(text, from + 20, length - 21);
    // a day that every month has; years whose nanoseconds fit
    if ((year | month | day | hour | minute | second | fraction) < 0
        || year < 1700
        || year > 2200
        || month < 1
        || month > 12
        || day < 1
        || day > 28
        || hour > 23
        || minute > 59
        || second > 59) {
      return UNKNOWN;
    }
    for (int i = length - 21; length > 20 && i < NANO_DIGITS; i++) {
      fraction *= 10;
    }
    long seconds = ((day(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    return nanos ? seconds * 1_000_000_000 + fraction : seconds * 1000 + fraction / 1_000_000;
  }

  /**
   * Days since 1970, with years that begin in March, so that the day of a leap year is the last.
   */
  private static long day(int year, int month, int day) {
    int years = month > 2 ? year : year - 1;
    int era = years / 400;
    int ofEra = years - era * 400;
    int ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int days = ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear;
    return (long) era * DAYS_OF_400_YEARS + days - DAYS_BEFORE_1970;
  }

  /** A number of digits alone; -1 where there is something else. */
  private static int digits(byte[] text, int from, int count) {
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
