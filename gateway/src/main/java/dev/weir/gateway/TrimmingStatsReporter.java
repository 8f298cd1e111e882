package dev.weir.gateway;

import dev.weir.model.HttpExchange;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.responses.trim.ResponseTrimmer;
import dev.weir.responses.trim.TrimCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What trimming saved, for operators; and whose answers are alike. */
final class TrimmingStatsReporter {
  private TrimmingStatsReporter() {}

  static Map<String, Object> toMap(ResponseTrimmer trimming) {
    Map<String, Object> profiles = new TreeMap<>();
    for (TrimCounts counts : trimming.profileCounts()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("responses", counts.trimmedResponses());
      shown.put("saved_bytes", counts.savedBytes());
      shown.put("skipped_fetches", counts.skippedFetches());
      shown.put("skipped_documents", counts.skippedDocuments());
      profiles.put(counts.profile(), shown);
    }
    return profiles;
  }

  static void bind(ResponseTrimmer trimming, PrometheusMetrics metrics) {
    metrics.table(
        new MetricTable<TrimCounts>(
            trimming::profileCounts,
            counts -> Map.of("profile", counts.profile()),
            List.of(
                Column.counter(
                    "weir_trimming_responses",
                    "Search responses that were trimmed",
                    TrimCounts::trimmedResponses),
                Column.counter(
                    "weir_trimming_saved_bytes",
                    "Bytes of compact JSON left out of responses",
                    TrimCounts::savedBytes),
                Column.counter(
                    "weir_trimming_skipped_fetches",
                    "Searches with hits that needed no fetch phase",
                    TrimCounts::skippedFetches),
                Column.counter(
                    "weir_trimming_skipped_documents",
                    "Hits fetched without their documents",
                    TrimCounts::skippedDocuments))));
  }

  /** What an answer may depend on beside the request: whose it is, where rules go by that. */
  static Function<HttpExchange, String> audience(ResponseTrimmer trimming) {
    return exchange ->
        trimming.isClientDependent(exchange.policy())
            ? exchange.tenant() + '\n' + agent(exchange)
            : "";
  }

  private static String agent(HttpExchange exchange) {
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase("User-Agent")) {
        return header.getValue();
      }
    }
    return "";
  }
}
