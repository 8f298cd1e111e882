package dev.weir.testkit.dashboards;

import java.util.Arrays;
import java.util.Locale;

/** A tool that draws dashboards: how it writes the query, and how fine it draws. */
public enum DashboardTool {
  /** Grafana: a range in milliseconds, and about a thousand points. */
  GRAFANA(1000) {
    @Override
    String query(DashboardRange range, String typed) {
      return ("{\"bool\":{\"filter\":[{\"range\":{\"@timestamp\":{\"gte\":%d,\"lte\":%d,"
                  + "\"format\":\"epoch_millis\"}}},{\"query_string\":{\"analyze_wildcard\":true,\"query\":\"%s\"}}]}}")
          .formatted(range.from().toEpochMilli(), range.lastMillis(), escape(typed));
    }
  },

  /** OpenSearch Dashboards: a range as text, and about a hundred points. */
  DASHBOARDS(100) {
    @Override
    String query(DashboardRange range, String typed) {
      String filter =
          typed.isEmpty()
              ? "{\"match_all\":{}}"
              : "{\"query_string\":{\"query\":\"%s\",\"analyze_wildcard\":true,\"time_zone\":\"UTC\"}}"
                  .formatted(escape(typed));
      return ("{\"bool\":{\"must\":[],\"filter\":[%s,{\"range\":{\"@timestamp\":{\"gte\":\"%s\",\"lte\":\"%s\","
                  + "\"format\":\"strict_date_optional_time\"}}}],\"should\":[],\"must_not\":[]}}")
          .formatted(filter, range.from(), range.last());
    }
  };

  /** Lengths of buckets that the tools choose from, in seconds. */
  private static final long[] STEPS = {
    1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 10_800, 43_200, 86_400
  };

  private final int points;

  DashboardTool(int points) {
    this.points = points;
  }

  static DashboardTool of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Returns the query of a panel. */
  abstract String query(DashboardRange range, String typed);

  /** Returns the length of a bucket: the nearest step to a range divided by the points. */
  long intervalSeconds(DashboardRange range) {
    double wanted = (double) range.length().toSeconds() / points;
    return Arrays.stream(STEPS)
        .boxed()
        .min((a, b) -> Double.compare(distance(a, wanted), distance(b, wanted)))
        .orElseThrow();
  }

  private static double distance(long step, double wanted) {
    return Math.abs(Math.log(step / wanted));
  }

  private static String escape(String typed) {
    return typed.replace("\"", "\\\"");
  }
}
