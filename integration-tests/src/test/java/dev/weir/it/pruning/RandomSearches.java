package dev.weir.it.pruning;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Random searches of many kinds, most of them with a time range. */
final class RandomSearches {
  private static final List<String> AGGREGATIONS =
      List.of(
          "{\"max\":{\"field\":\"n\"}}",
          "{\"stats\":{\"field\":\"@timestamp\"}}",
          "{\"cardinality\":{\"field\":\"word\"}}",
          "{\"terms\":{\"field\":\"word\",\"show_term_doc_count_error\":true}}",
          "{\"terms\":{\"field\":\"word\",\"min_doc_count\":0}}",
          "{\"date_histogram\":{\"field\":\"@timestamp\",\"calendar_interval\":\"day\"},"
              + "\"aggs\":{\"m\":{\"avg\":{\"field\":\"n\"}}}}",
          "{\"date_histogram\":{\"field\":\"@timestamp\",\"fixed_interval\":\"12h\","
              + "\"min_doc_count\":0,\"extended_bounds\":{\"min\":\"2026-01-03T00:00:00.000Z\","
              + "\"max\":\"2026-01-08T00:00:00.000Z\"}}}",
          "{\"histogram\":{\"field\":\"n\",\"interval\":500,\"min_doc_count\":0}}",
          "{\"filters\":{\"filters\":{\"o\":{\"match\":{\"title\":\"odd\"}}}},"
              + "\"aggs\":{\"t\":{\"terms\":{\"field\":\"word\"}}}}",
          "{\"filter\":{\"match_all\":{}},\"aggs\":{\"t\":{\"terms\":{\"field\":\"word\","
              + "\"min_doc_count\":0}}}}",
          "{\"date_range\":{\"field\":\"@timestamp\",\"ranges\":[{\"to\":\"2026-01-05T00:00:00.000Z\"},"
              + "{\"from\":\"2026-01-05T00:00:00.000Z\"}]}}",
          "{\"missing\":{\"field\":\"@timestamp\"}}",
          "{\"nested\":{\"path\":\"parts\"},\"aggs\":{\"m\":{\"max\":{\"field\":"
              + "\"parts.@timestamp\"}}}}",
          "{\"composite\":{\"size\":3,\"sources\":[{\"w\":{\"terms\":{\"field\":\"word\"}}}]}}",
          "{\"global\":{},\"aggs\":{\"c\":{\"value_count\":{\"field\":\"n\"}}}}",
          "{\"significant_terms\":{\"field\":\"word\"}}",
          "{\"top_hits\":{\"size\":2,\"sort\":[\"n\"]}}");

  private static final List<String> OTHERS =
      List.of(
          "\"size\":0",
          "\"size\":3,\"sort\":[{\"n\":\"desc\"}]",
          "\"size\":5,\"sort\":[{\"@timestamp\":\"asc\"},\"n\"]",
          "\"size\":4,\"track_total_hits\":true",
          "\"size\":2,\"track_total_hits\":2,\"sort\":[\"n\"]",
          "\"size\":3,\"sort\":[\"n\"],\"highlight\":{\"fields\":{\"title\":{}}},\"explain\":true",
          "\"size\":3,\"sort\":[\"n\"],\"collapse\":{\"field\":\"word\",\"inner_hits\":"
              + "{\"name\":\"i\",\"size\":1,\"sort\":[\"n\"]}}",
          "\"size\":3,\"sort\":[\"n\"],\"post_filter\":{\"term\":{\"word\":\"word1\"}}",
          "\"size\":0,\"suggest\":{\"s\":{\"prefix\":\"hi\",\"completion\":{\"field\":\"hint\"}}}",
          "\"size\":3,\"sort\":[\"n\"],\"min_score\":0.1",
          "\"size\":3,\"sort\":[\"missing-field\"]",
          "\"size\":3,\"sort\":[\"n\"],\"fields\":[\"@timestamp\"],\"_source\":false",
          "\"size\":9,\"from\":2,\"sort\":[\"n\"],\"terminate_after\":100000");

  private final Random random;
  private final int days;

  /**
   * Parts of searches whose answer depends on which shards answer first: as soon as a shard has
   * answered, a node leaves out others without hits, also those whose terms would count.
   */
  private static final List<String> DEPENDENT_ON_ORDER =
      List.of(
          "{\"significant_terms\"",
          "{\"filter\":{\"match_all\":{}},\"aggs\":{\"t\":{\"terms\":{\"field\":\"word\","
              + "\"min_doc_count\":0}}}}");

  RandomSearches(long seed, int days) {
    this.random = new Random(seed);
    this.days = days;
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Whether a node answers a search always alike. */
  static boolean isAlwaysAnsweredAlike(String body) {
    return DEPENDENT_ON_ORDER.stream().noneMatch(body::contains);
  }

  String parameters() {
    return one(
        List.of("", "", "", "", "search_type=dfs_query_then_fetch", "pre_filter_shard_size=1"));
  }

  String body() {
    StringBuilder body = new StringBuilder("{\"query\":").append(query(0));
    body.append(',').append(one(OTHERS));
    if (random.nextInt(3) > 0) {
      body.append(",\"aggs\":{\"a\":").append(one(AGGREGATIONS));
      if (random.nextBoolean()) {
        body.append(",\"b\":").append(one(AGGREGATIONS));
      }
      body.append('}');
    }
    return body.append('}').toString();
  }

  private String query(int depth) {
    if (depth > 2) {
      return range();
    }
    return switch (random.nextInt(12)) {
      case 0 -> "{\"match\":{\"title\":\"odd\"}}";
      case 1 -> "{\"constant_score\":{\"filter\":" + query(depth + 1) + "}}";
      case 2 -> "{\"dis_max\":{\"queries\":[" + range() + "," + query(depth + 1) + "]}}";
      case 3 ->
          "{\"boosting\":{\"positive\":%s,\"negative\":%s,\"negative_boost\":0.5}}"
              .formatted(query(depth + 1), range());
      case 4 ->
          "{\"function_score\":{\"query\":%s,\"functions\":[{\"filter\":%s,\"weight\":2}]}}"
              .formatted(query(depth + 1), range());
      case 5 -> "{\"nested\":{\"path\":\"parts\",\"query\":" + nested() + "}}";
      case 6, 7, 8, 9 -> bool(depth);
      default -> range();
    };
  }

  private String bool(int depth) {
    StringBuilder bool = new StringBuilder("{\"bool\":{\"boost\":1");
    for (String clause : List.of("must", "filter", "should", "must_not")) {
      if (random.nextInt(clause.equals("must_not") ? 6 : 3) == 0) {
        bool.append(",\"").append(clause).append("\":[").append(query(depth + 1)).append(']');
      }
    }
    return bool.append("}}").toString();
  }

  private String nested() {
    return range().replace("\"@timestamp\":", "\"parts.@timestamp\":");
  }

  private String range() {
    StringBuilder range = new StringBuilder("{\"range\":{\"");
    range.append(random.nextInt(8) == 0 ? "other" : "@timestamp").append("\":{");
    boolean lower = random.nextInt(4) > 0;
    if (lower) {
      range.append(random.nextBoolean() ? "\"gte\":" : "\"gt\":").append(time());
    }
    if (!lower || random.nextBoolean()) {
      range.append(lower ? "," : "").append(random.nextBoolean() ? "\"lte\":" : "\"lt\":");
      range.append(time());
    }
    if (random.nextInt(5) == 0) {
      range
          .append(",\"time_zone\":\"")
          .append(one(List.of("+09:00", "America/New_York")))
          .append('"');
    }
    return range.append("}}}").toString();
  }

  private String time() {
    var time =
        DailyIndices.at(
            random.nextInt(days + 2) - 1, Duration.ofMillis(random.nextLong(86_400_000)));
    return switch (random.nextInt(6)) {
      case 0 -> Long.toString(time.toEpochMilli());
      case 1 -> "\"" + time + "||/d\"";
      case 2 -> "\"now-" + random.nextInt(400) + "d/d\"";
      default -> "\"" + time.plusMillis(random.nextInt(2)) + "\"";
    };
  }
}
