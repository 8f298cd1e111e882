package dev.weir.bench.sampling;

/** An aggregation to sample. All have the same query, so that no node counts without visiting. */
enum SampledWorkload {
  /** One terms aggregation: each document costs little. */
  TERMS("terms", "{\"pages\":{\"terms\":{\"field\":\"page\"}}}"),

  /** Several aggregations, as of a page of panels. */
  PANELS(
      "panels",
      """
      {"pages":{"terms":{"field":"page"},"aggs":{"ms":{"avg":{"field":"ms"}}}},\
      "hosts":{"terms":{"field":"host"},"aggs":{"items":{"sum":{"field":"items"}}}},\
      "days":{"date_histogram":{"field":"at","calendar_interval":"day"},\
      "aggs":{"items":{"sum":{"field":"items"}}}},\
      "ms":{"avg":{"field":"ms"}},"items":{"sum":{"field":"items"}}}\
      """),

  /** Percentiles, and statistics in many buckets: each document costs much. */
  PERCENTILES(
      "percentiles",
      """
      {"hosts":{"terms":{"field":"host"},"aggs":{"s":{"stats":{"field":"items"}},\
      "t":{"stats":{"field":"ms"}}}},"p":{"percentiles":{"field":"ms"}},\
      "q":{"percentiles":{"field":"items"}}}\
      """);

  private static final String RANGE = "{\"range\":{\"items\":{\"lt\":90}}}";

  private final String title;
  private final String aggregations;

  SampledWorkload(String title, String aggregations) {
    this.title = title;
    this.aggregations = aggregations;
  }

  String title() {
    return title;
  }

  /** Returns the body of the search. */
  String body() {
    return "{\"size\":0,\"query\":" + RANGE + ",\"aggs\":" + aggregations + "}";
  }
}
