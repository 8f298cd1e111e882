package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway with the default heap answers the histograms of dashboards as a node does. */
@Drawn(oneIn = 3)
class HistogramMemoryIT {
  private static final int DAYS = 7;
  private static final int LINES_PER_DAY = Integer.getInteger("weir.test.lines-per-day", 4000);
  private static final int VIEWERS = 8;
  private static final long DAY_MILLIS = 86_400_000L;
  private static final long START = 1_774_569_600_000L;
  private static final String TDIGEST = "{\"p\":{\"percentiles\":{\"field\":\"took\"}}}";
  private static final String HDR =
      "{\"p\":{\"percentiles\":{\"field\":\"took\",\"hdr\":{\"number_of_significant_value_digits\":3}}}}";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Random random = TestSeed.random(HistogramMemoryIT.class);
  private final int port = Ports.findFree(random);
  private final int admin = Ports.findFree(random);
  private final URI node = SharedCluster.get().node(0).httpUri();

  @Test
  void answerFineHistogramsWithPercentilesLikeANode(@TempDir Path folder) throws Exception {
    try (GatewayChildProcess gateway = SharedClusterGateway.start(folder, port, admin)) {
      try {
        load();
        for (String panel : Stream.concat(panels().stream(), nestedPanels().stream()).toList()) {
          String expected = withoutTook(send(node, panel));
          assertThat(withoutTook(send(gateway(), panel))).as(panel).isEqualTo(expected);
        }
        String shared = panels().getFirst(); // the test's nodes have no memory for more at once
        String expected = withoutTook(send(node, shared));
        for (String answer : sendAtOnce(shared)) {
          assertThat(answer).as("by one of %s viewers", VIEWERS).isEqualTo(expected);
        }
        assertThat(gateway.exitCode()).as(Files.readString(gateway.log())).isNotDone();
      } finally {
        client.send(
            HttpRequest.newBuilder(node.resolve("/" + indices())).DELETE().build(),
            BodyHandlers.discarding());
      }
    }
  }

  private static List<String> panels() {
    String zone = ",\"time_zone\":\"Europe/Berlin\"";
    return List.of(
        panel("\"fixed_interval\":\"15m\"", TDIGEST),
        panel("\"fixed_interval\":\"10m\"", TDIGEST),
        panel("\"fixed_interval\":\"30m\",\"min_doc_count\":0" + zone, TDIGEST),
        panel("\"fixed_interval\":\"1h\"", HDR),
        panel(
            "\"calendar_interval\":\"1h\",\"order\":{\"_count\":\"desc\"}" + zone,
            "{\"c\":{\"cardinality\":{\"field\":\"user\"}},"
                + "\"t\":{\"terms\":{\"field\":\"user\",\"size\":3},\"aggs\":{\"s\":{\"extended_stats\":{\"field\":\"took\"}}}},"
                + "\"h\":{\"top_hits\":{\"size\":1,\"sort\":[{\"took\":\"desc\"},{\"at\":\"asc\"}]}}}"));
  }

  /** Histograms and digests in the buckets of other aggregations, and below pipelines. */
  private static List<String> nestedPanels() {
    String byHour = "{\"d\":{" + steps("1h") + ",\"aggs\":" + TDIGEST + "}}";
    return List.of(
        aggregations("{\"terms\":{\"field\":\"service\",\"size\":10},\"aggs\":" + byHour + "}"),
        aggregations(
            "{\"filters\":{\"filters\":{\"slow\":{\"range\":{\"took\":{\"gte\":100}}},"
                + "\"fast\":{\"range\":{\"took\":{\"lt\":100}}}}},\"aggs\":"
                + byHour
                + "}"),
        aggregations(
            "{"
                + steps("10m")
                + ",\"aggs\":{\"p\":{\"percentiles\":{\"field\":\"took\"}},"
                + "\"s\":{\"sum\":{\"field\":\"took\"}},"
                + "\"change\":{\"derivative\":{\"buckets_path\":\"s\"}},"
                + "\"so_far\":{\"cumulative_sum\":{\"buckets_path\":\"_count\"}}}}"),
        aggregations(
            "{\"auto_date_histogram\":{\"field\":\"at\",\"buckets\":10},\"aggs\":" + TDIGEST + "}"),
        aggregations(
            "{\"composite\":{\"size\":1000,\"sources\":[{\"user\":{\"terms\":{\"field\":\"user\"}}},"
                + "{\"time\":{\"date_histogram\":{\"field\":\"at\",\"fixed_interval\":\"6h\"}}}]},"
                + "\"aggs\":"
                + TDIGEST
                + "}"),
        aggregations(
            "{\"terms\":{\"field\":\"client\",\"size\":100,\"order\":{\"p[50.0]\":\"desc\"}},"
                + "\"aggs\":{\"p\":{\"percentiles\":{\"field\":\"took\"}},"
                + "\"c\":{\"cardinality\":{\"field\":\"user\"}}}}"));
  }

  private static String steps(String interval) {
    return "\"date_histogram\":{\"field\":\"at\",\"fixed_interval\":\"" + interval + "\"}";
  }

  private static String aggregations(String one) {
    return "{\"size\":0,\"aggs\":{\"by\":" + one + "}}";
  }

  private static String panel(String dates, String below) {
    return "{\"size\":0,\"aggs\":{\"lines\":{\"filter\":{\"range\":{\"took\":{\"gte\":0}}},\"aggs\":{\"all\":{\"sum\":{\"field\":\"took\"}},"
               + "\"by_time\":{\"date_histogram\":{\"field\":\"at\","
        + dates
        + "},\"aggs\":"
        + below
        + "}}}}}";
  }

  private static String indices() {
    List<String> names = new ArrayList<>();
    for (int day = 0; day < DAYS; day++) {
      names.add("histogram-memory-" + day);
    }
    return String.join(",", names);
  }

  private void load() throws Exception {
    String mapping =
        "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":0},\"mappings\":{\"properties\":"
            + "{\"at\":{\"type\":\"date\"},\"took\":{\"type\":\"double\"},\"user\":{\"type\":\"keyword\"},"
            + "\"client\":{\"type\":\"keyword\"},\"service\":{\"type\":\"keyword\"}}}}";
    for (int day = 0; day < DAYS; day++) {
      String index = "/histogram-memory-" + day;
      HttpRequest create =
          HttpRequest.newBuilder(node.resolve(index))
              .header("Content-Type", "application/json")
              .PUT(BodyPublishers.ofString(mapping))
              .build();
      assertThat(client.send(create, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      for (int part = 0; part < LINES_PER_DAY; part += 2000) {
        StringBuilder bulk = new StringBuilder();
        for (int line = part; line < Math.min(part + 2000, LINES_PER_DAY); line++) {
          long at = START + day * DAY_MILLIS + line * DAY_MILLIS / LINES_PER_DAY;
          bulk.append("{\"index\":{}}\n{\"at\":").append(at).append(",\"took\":");
          bulk.append(Math.abs(random.nextGaussian()) * 100 + 1).append(",\"user\":\"u");
          bulk.append(random.nextInt(50)).append("\",\"client\":\"c").append(random.nextInt(1500));
          bulk.append("\",\"service\":\"s").append(random.nextInt(10)).append("\"}\n");
        }
        assertThat(post(node, index + "/_bulk", bulk.toString())).contains("\"errors\":false");
      }
    }
    post(node, "/" + indices() + "/_refresh", "");
  }

  private URI gateway() {
    return URI.create("http://127.0.0.1:" + port);
  }

  private List<String> sendAtOnce(String panel) {
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int viewer = 0; viewer < VIEWERS; viewer++) {
      answers.add(
          client
              .sendAsync(request(gateway(), search(), panel), BodyHandlers.ofString())
              .thenApply(answer -> withoutTook(answer.body())));
    }
    return answers.stream().map(CompletableFuture::join).toList();
  }

  private static String search() {
    return "/" + indices() + "/_search?request_cache=false";
  }

  private String send(URI to, String panel) throws Exception {
    return post(to, search(), panel);
  }

  private String post(URI to, String path, String body) throws Exception {
    HttpResponse<String> answer = client.send(request(to, path, body), BodyHandlers.ofString());
    return answer.body();
  }

  private static HttpRequest request(URI to, String path, String body) {
    return HttpRequest.newBuilder(to.resolve(path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private static String withoutTook(String answer) {
    assertThat(answer).contains("\"timed_out\":false");
    return answer.replaceFirst("\"took\":\\d+", "\"took\":0");
  }
}
