package dev.weir.core.reduce.columns;

import java.nio.charset.StandardCharsets;

/**
 * The text of dates without a format of their own, {@code yyyy-MM-dd'T'HH:mm:ss.SSS'Z'}, for the
 * years 1 to 9999.
 */
public final class DateText {
  /** The length of every text, in bytes. */
  public static final int LENGTH = 24;

  private static final long MILLIS_PER_DAY = 86_400_000;

  /** Days of 400 years, after which the calendar repeats. */
  private static final int ERA_DAYS = 146_097;

  /** Days from the first of March of the year 0 to the epoch. */
  private static final int EPOCH_DAYS = 719_468;

  private DateText() {}

  static String of(long millis) {
    byte[] text = new byte[LENGTH];
    write(millis, text, 0);
    return new String(text, StandardCharsets.US_ASCII);
  }

  /**
   * Writes the text of a date. The date of a day is found as in Howard Hinnant's {@code
   * civil_from_days}: years start in March, so that the leap day is their last.
   *
   * @param millis milliseconds since the epoch
   */
  public static void write(long millis, byte[] into, int at) {
    int day = (int) Math.floorDiv(millis, MILLIS_PER_DAY) + EPOCH_DAYS;
    int rest = (int) Math.floorMod(millis, MILLIS_PER_DAY);
    int era = Math.floorDiv(day, ERA_DAYS);
    int dayOfEra = day - era * ERA_DAYS;
    int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int fromMarch = (5 * dayOfYear + 2) / 153;
    int month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
    int year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    put(year, 4, into, at);
    into[at + 4] = '-';
    put(month, 2, into, at + 5);
    into[at + 7] = '-';
    put(dayOfYear - (153 * fromMarch + 2) / 5 + 1, 2, into, at + 8);
    into[at + 10] = 'T';
    put(rest / 3_600_000, 2, into, at + 11);
    into[at + 13] = ':';
    put(rest / 60_000 % 60, 2, into, at + 14);
    into[at + 16] = ':';
    put(rest / 1000 % 60, 2, into, at + 17);
    into[at + 19] = '.';
    put(rest % 1000, 3, into, at + 20);
    into[at + 23] = 'Z';
  }

  private static void put(int number, int digits, byte[] into, int at) {
    int rest = number;
    for (int i = digits - 1; i >= 0; i--) {
      into[at + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
