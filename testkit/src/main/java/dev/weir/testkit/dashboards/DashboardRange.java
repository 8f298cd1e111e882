package dev.weir.testkit.dashboards;

import java.time.Duration;
import java.time.Instant;

/**
 * The range of time that a dashboard shows. It ends at a fixed moment, so that two runs send the
 * same requests.
 *
 * @param name as a user chooses it
 * @param length up to {@link DashboardLogs#END}
 */
public record DashboardRange(String name, Duration length) {
  public static final DashboardRange QUARTER_HOUR =
      new DashboardRange("15 minutes", Duration.ofMinutes(15));
  public static final DashboardRange SIX_HOURS = new DashboardRange("6 hours", Duration.ofHours(6));
  public static final DashboardRange DAY = new DashboardRange("1 day", Duration.ofDays(1));
  public static final DashboardRange WEEK = new DashboardRange("7 days", Duration.ofDays(7));
  public static final DashboardRange MONTH = new DashboardRange("30 days", Duration.ofDays(30));
  public static final DashboardRange QUARTER = new DashboardRange("90 days", Duration.ofDays(90));

  Instant from() {
    return DashboardLogs.END.minus(length);
  }

  /** Returns the last moment of the range. */
  Instant last() {
    return DashboardLogs.END.minusMillis(1);
  }

  long lastMillis() {
    return last().toEpochMilli();
  }
}
