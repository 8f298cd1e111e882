package dev.weir.bench.secured;

import dev.weir.testkit.RestClient;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The requests that a gateway has finished, by path, action, status and reason.
 *
 * @param counts by labels, such as {@code coordinated search 200} or {@code passthrough other 200
 *     security}
 */
record RequestPathCounts(Map<String, Long> counts) {
  private static final Pattern SAMPLE =
      Pattern.compile("(?m)^weir_requests_total\\{([^}]*)}\\s+([0-9.eE+]+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** Reads the counts from the admin endpoint of a gateway. */
  static RequestPathCounts read(InetSocketAddress admin) {
    URI uri = URI.create("http://127.0.0.1:" + admin.getPort());
    try (RestClient client = new RestClient(uri)) {
      return parse(client.send("GET", "/metrics").orThrow().body());
    }
  }

  static RequestPathCounts parse(String metrics) {
    Map<String, Long> counts = new TreeMap<>();
    for (Matcher sample = SAMPLE.matcher(metrics); sample.find(); ) {
      Map<String, String> labels = new TreeMap<>();
      for (Matcher label = LABEL.matcher(sample.group(1)); label.find(); ) {
        labels.put(label.group(1), label.group(2));
      }
      String key =
          "%s %s %s %s"
              .formatted(
                  labels.getOrDefault("path", ""),
                  labels.getOrDefault("action", ""),
                  labels.getOrDefault("status", ""),
                  labels.getOrDefault("reason", ""))
              .strip();
      counts.merge(key, (long) Double.parseDouble(sample.group(2)), Long::sum);
    }
    return new RequestPathCounts(counts);
  }

  /** Returns what was added since an earlier reading. */
  RequestPathCounts since(RequestPathCounts earlier) {
    Map<String, Long> added = new TreeMap<>();
    counts.forEach((key, count) -> {
      long more = count - earlier.counts.getOrDefault(key, 0L);
      if (more > 0) {
        added.put(key, more);
      }
    });
    return new RequestPathCounts(added);
  }

  /** Returns the coordinated requests of an action that succeeded. */
  long coordinated(String action) {
    long sum = 0;
    for (Map.Entry<String, Long> count : counts.entrySet()) {
      sum +=
          count.getKey().startsWith("coordinated " + action + " ") && count.getKey().contains(" 2")
              ? count.getValue()
              : 0;
    }
    return sum;
  }
}
