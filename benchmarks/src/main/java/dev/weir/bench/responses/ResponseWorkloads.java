package dev.weir.bench.responses;

import dev.weir.bench.Workload;

/** The requests whose responses are measured. */
final class ResponseWorkloads {
  private static final int BUCKETS = 10_000;

  private ResponseWorkloads() {}

  /** The format of hits that a request asks the gateway for. */
  enum Format {
    PLAIN("as ever", ""),
    COLUMNS("JSON columns", "&columnar=json"),
    ARROW("Arrow", "&columnar=arrow"),
    CSV("CSV", "&columnar=csv"),
    TRIMMED("trimmed: _shards, _index, _score", "&trim=shards,index,score,max-score"),
    IDS("trimmed: documents too", "&trim=shards,index,score,max-score,source");

    private final String label;
    private final String parameters;

    Format(String label, String parameters) {
      this.label = label;
      this.parameters = parameters;
    }

    String label() {
      return label;
    }

    String parameters() {
      return parameters;
    }
  }

  /** Returns a search for a page of whole documents. */
  static Workload hits(String name, String index, int size, String parameters) {
    return Workload.ofPost(
        name,
        "/" + index + "/_search?request_cache=false" + parameters,
        n -> "{\"size\":" + size + ",\"query\":{\"match_all\":{}}}");
  }

  /** Returns an aggregation with about ten thousand buckets and an average in each. */
  static Workload buckets(String parameters) {
    return Workload.ofPost(
        "10000 buckets",
        "/" + ResponseIndexes.NARROW + "/_search?request_cache=false" + parameters,
        n ->
            "{\"size\":0,\"aggs\":{\"b\":{\"terms\":{\"field\":\"bytes\",\"size\":"
                + BUCKETS
                + "},\"aggs\":{\"a\":{\"avg\":{\"field\":\"took\"}}}}}}");
  }
}
