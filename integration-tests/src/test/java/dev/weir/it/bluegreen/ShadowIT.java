package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** Reads of one cluster that are repeated on another. */
@Drawn(oneIn = 3)
class ShadowIT {
  private static final int DOCUMENTS = 300;
  private static final Set<Integer> CHANGED = Set.of(17, 117, 217);

  /** The index of the security plugin's rules; a cluster that has it checks permissions. */
  private static final String RULES = ".opendistro_security";

  /** Blue and green; some indices have other names on green. */
  private static TestBed gateway(String rename, String traffic) {
    TestBed bed =
        TestBed.startWithConfig(
            """
            clusters:
              blue: {seeds: [%s]}
              green: {seeds: [%s], index-renames: %s}
            http: {listen: "127.0.0.1:0", compression: {min-body-bytes: 0b}}
            admin: {listen: "127.0.0.1:0"}
            %s
            """
                .formatted(
                    TwoClusters.seeds(TwoClusters.blue()),
                    TwoClusters.seeds(TwoClusters.green()),
                    rename,
                    traffic));
    TwoClusters.awaitReached(bed, 2);
    return bed;
  }

  private static void fill(
      DataNodeCluster cluster, String index, int shards, Set<Integer> changed) {
    cluster
        .rest()
        .send(
            "PUT",
            "/" + index,
            """
            {"settings":{"number_of_shards":%d,"number_of_replicas":0},
             "mappings":{"properties":{"n":{"type":"integer"},"group":{"type":"keyword"},
                                       "text":{"type":"text"}}}}
            """
                .formatted(shards))
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      lines.append("{\"index\":{\"_id\":\"").append(i).append("\"}}\n");
      lines
          .append("{\"n\":")
          .append(i)
          .append(",\"group\":\"g")
          .append(i % 7)
          .append("\",\"text\":\"")
          .append(changed.contains(i) ? "another word" : "some word")
          .append("\"}\n");
    }
    cluster
        .rest()
        .bulk(
            "/" + index + "/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  @AfterEach
  void empty() {
    TwoClusters.blue()
        .rest()
        .send("DELETE", "/shadowed,books," + RULES + "?ignore_unavailable=true");
    TwoClusters.green()
        .rest()
        .send("DELETE", "/shadowed,shadowed-v2,books-v2," + RULES + "?ignore_unavailable=true");
  }

  /** Waits until this many reads were compared or skipped, and returns the report. */
  private static JsonResponse report(TestBed bed, long reads) {
    return Await.untilValue(
        "the report of shadow reads", () -> reportNow(bed), report -> finished(report) >= reads);
  }

  private static JsonResponse reportNow(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/shadow").orThrow());
  }

  /** Reads that were compared or skipped. */
  private static long finished(JsonResponse report) {
    return report.number("compared") + skipped(report);
  }

  /** Reads that were not compared; a busy gateway skips some. */
  private static long skipped(JsonResponse report) {
    return sum(report, "shed_requests") + sum(report, "incomparable");
  }

  /** Sends a read, again if the gateway skips it, until its responses are compared. */
  private static JsonResponse sendUntilCompared(
      TestBed bed, HeaderClient caller, String method, String uri, String body) {
    JsonResponse before = reportNow(bed);
    for (int attempt = 0; attempt < 100; attempt++) {
      JsonResponse answer = caller.send(method, uri, body);
      JsonResponse after = report(bed, finished(before) + 1);
      if (after.number("compared") > before.number("compared")) {
        return answer;
      }
      before = after;
    }
    throw new AssertionError("got " + before + " (expected: a comparison of " + uri + ")");
  }

  private static long sum(JsonResponse report, String counts) {
    long sum = 0;
    if (report.at(counts) instanceof Map<?, ?> map) {
      for (Object count : map.values()) {
        sum += ((Number) count).longValue();
      }
    }
    return sum;
  }

  private static Set<String> requestsThatDiffered(JsonResponse report) {
    Set<String> requests = new TreeSet<>();
    report
        .objects("newest_differences")
        .forEach(row -> requests.add((String) row.get("request_line")));
    return requests;
  }

  @Test
  void reportDifferingDocuments() {
    fill(TwoClusters.blue(), "shadowed", 2, Set.of());
    fill(TwoClusters.green(), "shadowed-v2", 3, CHANGED);
    try (TestBed bed =
            gateway(
                "{shadowed: shadowed-v2}",
                "traffic: {shadow: {target-cluster: green, max-in-flight: 100, tolerances:"
                    + " {max-aggregation-difference: 0.05}}}");
        HeaderClient caller = new HeaderClient(bed)) {
      Set<String> expected = new TreeSet<>();
      for (int changed : CHANGED) {
        String uri = "/shadowed/_doc/" + changed;
        expected.add("GET " + uri);
        assertThat(sendUntilCompared(bed, caller, "GET", uri, "").text("_source.text"))
            .isEqualTo("some word");
      }
      long finished = finished(reportNow(bed));
      for (int i = 0; i < DOCUMENTS; i++) {
        if (!CHANGED.contains(i)) {
          JsonResponse answer = caller.send("GET", "/shadowed/_doc/" + i, "");
          assertThat(answer.text("_source.text")).isEqualTo("some word");
          finished++;
        }
        if (i % 50 == 0) {
          report(bed, finished); // no faster than the comparisons
        }
      }
      JsonResponse report = report(bed, finished);
      assertThat(report.number("verdicts.get.different")).as("%s", report).isEqualTo(3);
      assertThat(report.number("verdicts.get.same") + skipped(report))
          .as("%s", report)
          .isGreaterThanOrEqualTo(297);
      assertThat(report.at("differences_by_kind")).isEqualTo(Map.of("source", 3));
      assertThat(requestsThatDiffered(report)).isEqualTo(expected);
      assertThat(report.objects("newest_differences").getFirst().get("differences"))
          .isEqualTo(
              List.of(
                  Map.of(
                      "kind", "source",
                      "path", "document._source.text",
                      "primary", "\"some word\"",
                      "shadow", "\"another word\"")));
      searches(bed, caller);
      assertThat(bed.admin().send("GET", "/metrics").body())
          .contains("weir_shadow_requests_total{action=\"get\",verdict=\"different\"} 3.0")
          .contains("weir_shadow_shed_requests_total{reason=\"overload\"} ");
    }
  }

  /** Shards and scores differ; responses differ if they contain a changed document. */
  private static void searches(TestBed bed, HeaderClient caller) {
    List<String> same = new ArrayList<>();
    same.add("{\"size\":10}"); // any ten of three hundred
    same.add("{\"size\":20,\"sort\":[\"group\"],\"_source\":[\"group\"]}");
    same.add("{\"from\":20,\"size\":20,\"sort\":[\"group\"],\"_source\":[\"group\"]}");
    same.add("{\"sort\":[\"_doc\"],\"size\":300,\"_source\":[\"n\"]}");
    same.add("{\"query\":{\"range\":{\"n\":{\"gte\":120,\"lt\":200}}},\"size\":80}");
    same.add("{\"query\":{\"match\":{\"text\":\"absent\"}}}");
    same.add(
        """
        {"size":0,"aggs":{"groups":{"terms":{"field":"group","order":{"n":"desc"}},
                                    "aggs":{"n":{"avg":{"field":"n"}},
                                            "top":{"top_hits":{"size":2,"sort":["n"]}}}},
                          "steps":{"histogram":{"field":"n","interval":100}},
                          "of":{"percentiles":{"field":"n"}}}}
        """);
    List<String> different =
        List.of(
            "{\"query\":{\"range\":{\"n\":{\"gte\":100,\"lt\":120}}},\"size\":20}",
            "{\"query\":{\"match\":{\"text\":\"another\"}}}",
            "{\"sort\":[{\"n\":\"desc\"}],\"size\":100}");
    same.forEach(body -> sendUntilCompared(bed, caller, "POST", "/shadowed/_search", body));
    different.forEach(body -> sendUntilCompared(bed, caller, "POST", "/shadowed/_search", body));
    List<String> columnsSame =
        List.of(
            "{\"query\":{\"range\":{\"n\":{\"gte\":120,\"lt\":200}}},\"size\":80,\"sort\":[\"n\"]}",
            "{\"size\":0,\"aggs\":{\"groups\":{\"terms\":{\"field\":\"group\"},"
                + "\"aggs\":{\"n\":{\"avg\":{\"field\":\"n\"}}}},\"all\":{\"sum\":{\"field\":\"n\"}}}}");
    String columnsDifferent =
        "{\"query\":{\"range\":{\"n\":{\"gte\":100,\"lt\":120}}},\"size\":20,\"sort\":[\"n\"]}";
    columnsSame.forEach(
        body -> sendUntilCompared(bed, caller, "POST", "/shadowed/_search?columnar=true", body));
    assertThat(
            sendUntilCompared(
                    bed, caller, "POST", "/shadowed/_search?columnar=true", columnsDifferent)
                .at("values"))
        .isNotNull();
    sendUntilCompared(bed, caller, "GET", "/shadowed/_count", "");
    sendUntilCompared(bed, caller, "GET", "/absent/_count", "");
    sendUntilCompared(bed, caller, "GET", "/shadowed/_doc/17?_source=n", "");
    sendUntilCompared(bed, caller, "GET", "/shadowed/_source/17", "");
    sendUntilCompared(bed, caller, "POST", "/shadowed/_mget", "{\"ids\":[\"1\",\"2\",\"absent\"]}");
    sendUntilCompared(bed, caller, "POST", "/shadowed/_mget", "{\"ids\":[\"1\",\"117\"]}");
    // none of these is repeated
    caller.send("GET", "/shadowed/_search?preference=_local", "");
    JsonResponse scroll = caller.send("GET", "/shadowed/_search?scroll=1m&size=1", "");
    caller.send(
        "DELETE", "/_search/scroll", "{\"scroll_id\":\"" + scroll.text("_scroll_id") + "\"}");
    JsonResponse report = reportNow(bed);
    assertThat(report.at("verdicts.search"))
        .as("%s", report)
        .isIn(
            Map.of("same", same.size() + 2, "different", 4),
            Map.of("same", same.size() + 1, "similar", 1, "different", 4));
    assertThat(report.objects("newest_differences"))
        .filteredOn(row -> String.valueOf(row.get("request_line")).endsWith("?columnar=true"))
        .singleElement()
        .satisfies(row -> assertThat(row.toString()).contains("values[117].text"));
  }

  @Test
  void clientsDoNotNoticeThatTheOtherClusterDies() {
    fill(TwoClusters.blue(), "shadowed", 2, Set.of());
    fill(TwoClusters.green(), "shadowed", 2, Set.of());
    try (TestBed bed =
            gateway("{}", "traffic: {shadow: {target-cluster: green, max-in-flight: 4}}");
        HeaderClient caller = new HeaderClient(bed)) {
      ask(caller, 20);
      assertThat(report(bed, 20).at("differing")).isEqualTo(0);
      TwoClusters.green().node(0).kill();
      try {
        ask(caller, 50);
        TwoClusters.awaitReached(bed, 1);
        ask(caller, 50);
        assertThat(report(bed, 120).number("shed_requests.unreachable")).isGreaterThanOrEqualTo(50);
      } finally {
        TwoClusters.green().node(0).restart();
        TwoClusters.green().awaitGreen();
      }
      TwoClusters.awaitReached(bed, 2);
      long before = report(bed, 120).number("compared");
      Await.untilValue(
          "reads that are repeated again",
          () -> {
            ask(caller, 1);
            return JsonResponse.of(bed.admin().send("GET", "/shadow").orThrow()).number("compared");
          },
          compared -> compared > before);
    }
  }

  /** The gateway's own permissions on the other cluster differ from the client's. */
  @Test
  void repeatNothingOnASecuredCluster() {
    fill(TwoClusters.blue(), "shadowed", 2, Set.of());
    fill(TwoClusters.green(), "shadowed", 2, Set.of());
    TwoClusters.green().rest().send("PUT", "/" + RULES, "{}").orThrow();
    try (TestBed bed = gateway("{}", "traffic: {shadow: {target-cluster: green}}");
        HeaderClient caller = new HeaderClient(bed)) {
      ask(caller, 3);
      JsonResponse report = report(bed, 3);
      assertThat(report.at("incomparable")).isEqualTo(Map.of("passed-through", 3));
      assertThat(report.number("compared")).isZero();
    }
  }

  /** Cases in which the nodes of one cluster, of the other, or of both check permissions. */
  @ParameterizedTest
  @CsvSource({"true, true", "false, true", "true, false"})
  void repeatPassedThroughReadsWhenEnabled(boolean blue, boolean green) {
    fill(TwoClusters.blue(), "shadowed", 2, Set.of());
    fill(TwoClusters.green(), "shadowed-v2", 3, CHANGED);
    if (blue) {
      TwoClusters.blue().rest().send("PUT", "/" + RULES, "{}").orThrow();
    }
    if (green) {
      TwoClusters.green().rest().send("PUT", "/" + RULES, "{}").orThrow();
    }
    try (TestBed bed =
            gateway(
                "{shadowed: shadowed-v2}",
                "traffic: {shadow: {target-cluster: green, pass-through-enabled: true,"
                    + " max-in-flight: 50}}");
        HeaderClient caller = new HeaderClient(bed)) {
      String range = "{\"query\":{\"range\":{\"n\":{\"gte\":%d,\"lt\":%d}}},\"size\":80}";
      List<JsonResponse> answers =
          List.of(
              caller.send("POST", "/shadowed/_search", range.formatted(120, 200)),
              caller.send("POST", "/shadowed/_search", range.formatted(100, 120)),
              caller.send("GET", "/shadowed/_search?sort=n", "", "Accept-Encoding", "identity"),
              caller.send("GET", "/shadowed/_count", ""),
              caller.send("GET", "/shadowed/_doc/16", ""),
              caller.send("GET", "/shadowed/_doc/17", ""),
              caller.send("GET", "/shadowed/_source/18", ""),
              caller.send("POST", "/shadowed/_mget", "{\"ids\":[\"1\",\"117\"]}"),
              caller.send("POST", "/shadowed/_msearch", "{}\n{\"sort\":[\"n\"]}\n"));
      assertThat(answers).allMatch(answer -> answer.status() == 200);
      assertThat(status(bed, "HEAD", "/shadowed/_doc/absent", "identity")).isEqualTo(404);
      assertThat(status(bed, "GET", "/shadowed/_doc/217", "gzip")).isEqualTo(200);
      assertThat(status(bed, "GET", "/shadowed/_doc/19", "deflate")).isEqualTo(200);
      assertThat(caller.send("PUT", "/shadowed/_doc/300", "{}").status()).isEqualTo(201);
      JsonResponse report = report(bed, answers.size() + 3);
      assertThat(report.at("shed_requests")).as("%s", report).isEqualTo(Map.of());
      assertThat(report.at("incomparable")).as("%s", report).isEqualTo(Map.of());
      assertThat(report.number("compared")).isEqualTo(answers.size() + 3);
      assertThat(requestsThatDiffered(report))
          .containsExactlyInAnyOrder(
              "POST /shadowed/_search",
              "GET /shadowed/_doc/17",
              "GET /shadowed/_doc/217",
              "POST /shadowed/_mget");
      assertThat(report.at("differences_by_kind")).isEqualTo(Map.of("source", 4));
      assertThat(TwoClusters.green().rest().send("GET", "/shadowed-v2/_count").body())
          .as("writes are not repeated")
          .contains("\"count\":" + DOCUMENTS);
      assertThat(bed.admin().send("GET", "/metrics").body().contains("reason=\"security\""))
          .isEqualTo(blue);
    }
  }

  /** Returns the status of a response that may be compressed. */
  private static int status(TestBed bed, String method, String path, String coding) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<byte[]> answer =
          http.send(
              HttpRequest.newBuilder(bed.uri().resolve(path))
                  .method(method, HttpRequest.BodyPublishers.noBody())
                  .header("Accept-Encoding", coding)
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      if (method.equals("GET")) {
        assertThat(answer.headers().firstValue("content-encoding")).hasValue(coding);
      }
      return answer.statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static void ask(HeaderClient caller, int times) {
    for (int i = 0; i < times; i++) {
      JsonResponse answer = caller.send("GET", "/shadowed/_search?size=3&sort=n", "");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.number("hits.total.value")).isEqualTo(DOCUMENTS);
      assertThat(answer.objects("hits.hits")).hasSize(3);
    }
  }

  /** Checks what docs/shadow.md says. */
  @Test
  void verifyTheExample() throws IOException {
    Path docs = Path.of(System.getProperty("weir.root", ".."), "docs", "shadow.md");
    Matcher blocks =
        Pattern.compile("```(?:yaml|http|json)\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(docs));
    assertThat(blocks.find()).isTrue();
    String yaml = blocks.group(1);
    assertThat(blocks.find()).isTrue();
    String requests = blocks.group(1);
    assertThat(blocks.find()).isTrue();
    Map<String, Object> told = json(blocks.group(1));

    TwoClusters.blue().rest().bulk("/books/_bulk?refresh=true", books("12")).orThrow();
    TwoClusters.green().rest().bulk("/books-v2/_bulk?refresh=true", books("12.5")).orThrow();
    String real =
        yaml.replace("\"10.0.0.1:9300\"", TwoClusters.seeds(TwoClusters.blue()))
            .replace("\"10.0.1.1:9300\"", TwoClusters.seeds(TwoClusters.green()));
    try (TestBed bed =
            TestBed.startWithConfig(
                real + "http: {listen: \"127.0.0.1:0\"}\nadmin: {listen: \"127.0.0.1:0\"}\n");
        HeaderClient caller = new HeaderClient(bed)) {
      TwoClusters.awaitReached(bed, 2);
      long sent = 0;
      for (String line : requests.lines().toList()) {
        String[] words = line.split(" ", 2);
        assertThat(caller.send(words[0], words[1], "").status()).isEqualTo(200);
        report(bed, ++sent); // one after the other, so that the newest are in order
      }
      JsonResponse report = report(bed, sent);
      told.forEach((name, value) -> {
        if (!name.equals("newest_differences")) {
          assertThat(report.at(name)).as(name).isEqualTo(value);
        }
      });
      List<Map<String, Object>> newest = report.objects("newest_differences");
      newest.forEach(row -> assertThat(row.remove("at")).isNotNull());
      assertThat(newest).isEqualTo(told.get("newest_differences"));
    }
  }

  private static Map<String, Object> json(String text) {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, text, true);
  }

  private static byte[] books(String price) {
    return """
    {"index":{"_id":"1"}}
    {"title":"The Peregrine","price":10}
    {"index":{"_id":"2"}}
    {"title":"Landmarks","price":%s}
    {"index":{"_id":"3"}}
    {"title":"Findings","price":14}
    """
        .formatted(price)
        .getBytes(StandardCharsets.UTF_8);
  }
}
