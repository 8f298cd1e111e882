package dev.weir.gateway;

import dev.weir.core.actions.trim.Trimming;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.core.reduce.TrimCounts;
import dev.weir.model.HttpExchange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What trimming saved, for operators; and whose answers are alike. */
final class TrimmingFigures {
  private TrimmingFigures() {}

  static Map<String, Object> stats(Trimming trimming) {
    Map<String, Object> profiles = new TreeMap<>();
    for (TrimCounts counts : trimming.counts()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("answers", counts.answers());
      shown.put("bytes_saved", counts.bytes());
      shown.put("fetches_saved", counts.fetches());
      shown.put("documents_saved", counts.documents());
      profiles.put(counts.profile(), shown);
    }
    return profiles;
  }

  static void bind(Trimming trimming, Metrics metrics) {
    metrics.table(
        new NodeTable<TrimCounts>(
            trimming::counts,
            counts -> Map.of("profile", counts.profile()),
            List.of(
                Column.counter(
                    "weir_trim_answers",
                    "Answers to searches of which less was asked or written",
                    TrimCounts::answers),
                Column.counter(
                    "weir_trim_bytes_saved",
                    "Bytes of answers, as compact JSON, that were there and left out",
                    TrimCounts::bytes),
                Column.counter(
                    "weir_trim_fetches_saved",
                    "Searches that found hits and did without the fetch phase",
                    TrimCounts::fetches),
                Column.counter(
                    "weir_trim_documents_saved",
                    "Hits that were fetched without their documents",
                    TrimCounts::documents))));
  }

  /** What an answer may depend on beside the request: whose it is, where rules go by that. */
  static Function<HttpExchange, String> audience(Trimming trimming) {
    return exchange ->
        trimming.byClient(exchange.policy()) ? exchange.tenant() + '\n' + agent(exchange) : "";
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
