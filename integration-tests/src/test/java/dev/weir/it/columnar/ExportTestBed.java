package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.it.faults.Await;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A gateway in front of the shared cluster, with indices to export: one of two shards, a small one
 * of one shard, and a filtered alias of both.
 */
final class ExportTestBed implements AutoCloseable {
  static final String MANY = "export-many";
  static final String FEW = "export-few";
  static final String SOME = "export-some";
  static final int ROWS_OF_MANY = 6500;
  static final int ROWS_OF_FEW = 700;

  private static final Pattern OPEN = Pattern.compile("\"point_in_time_current\":(\\d+)");

  private final TestBed bed =
      TestBed.withSections(
          SharedCluster.get().seeds(),
          "responses: {export: {max-in-flight: 2, default-slices: 3, target-page-bytes: 8kb}}");
  private final BytesClient caller = new BytesClient(bed.uri());

  ExportTestBed() {
    String indices = MANY + "," + FEW;
    bed.rest().send("DELETE", "/" + indices + "?ignore_unavailable=true").orThrow();
    create(MANY, 2);
    create(FEW, 1);
    bulk(MANY, 0, ROWS_OF_MANY / 2);
    bulk(MANY, ROWS_OF_MANY / 2, ROWS_OF_MANY);
    bulk(FEW, 0, ROWS_OF_FEW);
    String alias =
        "{\"actions\":[{\"add\":{\"index\":\"export-*\",\"alias\":\"%s\",\"filter\":{\"range\":{\"number\":{\"lt\":300}}}}}]}";
    bed.rest().send("POST", "/_aliases", alias.formatted(SOME)).orThrow();
  }

  private void create(String index, int shards) {
    bed.rest()
        .send(
            "PUT",
            "/" + index,
            """
            {"settings":{"number_of_shards":%d,"number_of_replicas":0,"refresh_interval":-1},
             "mappings":{"dynamic":false,"properties":{
              "number":{"type":"integer","ignore_malformed":true},"word":{"type":"keyword","fields":{"text":{"type":"text"}}},
              "price":{"type":"double"},"sold":{"type":"date"},"tags":{"type":"keyword"},"more":{"type":"keyword"},
              "size":{"properties":{"width":{"type":"long"}}}}}}
            """
                .formatted(shards))
        .orThrow();
  }

  void bulk(String index, int from, int to) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      String id = index + i;
      lines.append("{\"index\":{\"_id\":\"" + id + "\"}}\n").append(document(i)).append('\n');
    }
    send(index, lines);
  }

  private static String document(int i) {
    StringBuilder json = new StringBuilder("{\"number\":" + i + ",\"word\":\"w\\\"" + i % 7 + "\"");
    json.append(",\"price\":" + i / 4.0 + ",\"sold\":\"2026-11-" + (10 + i % 20) + "\"");
    json.append(i % 2 == 0 ? ",\"tags\":[\"a\",\"b\"]" : ",\"tags\":\"c\"");
    json.append(i % 3 == 0 ? ",\"more\":[\"one\"]" : i % 3 == 1 ? ",\"more\":[\"x\",\"y\"]" : "");
    json.append(i % 5 == 0 ? ",\"free\":{\"x" + i % 11 + "\":[" + i + "]}" : "");
    json.append(i % 4 == 0 ? ",\"size\":{\"width\":" + i + ",\"depth\":1}" : "");
    return json.append('}').toString();
  }

  private void send(String index, StringBuilder lines) {
    String answer =
        bed.rest()
            .bulk(
                "/" + index + "/_bulk?refresh=true",
                lines.toString().getBytes(StandardCharsets.UTF_8))
            .orThrow()
            .body();
    assertThat(answer).contains("\"errors\":false");
  }

  URI uri() {
    return bed.uri();
  }

  BytesClient caller() {
    return caller;
  }

  Answer export(String index, String parameters, String search) {
    Answer answer = caller.search("/" + index + "/_weir/export?" + parameters, search, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  String refusal(String index, String parameters, String search) {
    Answer answer = caller.search("/" + index + "/_weir/export?" + parameters, search, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.type()).startsWith("application/json");
    return answer.text();
  }

  /** Returns the hits by index and id; each must exist once. */
  static Map<String, Map<String, Object>> byId(Iterable<Map<String, Object>> rows) {
    Map<String, Map<String, Object>> found = new HashMap<>();
    rows.forEach(
        row -> assertThat(found.put(row.get("_index") + "/" + row.get("_id"), row)).isNull());
    return found;
  }

  static List<Map<String, Object>> hits(String lines) {
    return lines
        .lines()
        .filter(line -> !line.startsWith("{\"cursor\""))
        .map(ExpectedRows::json)
        .toList();
  }

  static List<String> cursors(String lines) {
    return lines
        .lines()
        .filter(line -> line.startsWith("{\"cursor\""))
        .map(line -> String.valueOf(ExpectedRows.json(line).get("cursor")))
        .toList();
  }

  /** Returns the hits of an ordinary search, by index and id. */
  Map<String, Map<String, Object>> plain(String index, String search) {
    Answer answer = caller.search("/" + index + "/_search?size=10000", search, Map.of());
    List<Map<String, Object>> hits = new ArrayList<>();
    for (Object each :
        ExpectedRows.list(
            ExpectedRows.map(ExpectedRows.json(answer.text()).get("hits")).get("hits"))) {
      Map<String, Object> hit = ExpectedRows.map(each);
      hit.remove("sort");
      hit.values().removeIf(Objects::isNull);
      hits.add(hit);
    }
    return byId(hits);
  }

  /** Waits until no shard has a context of a point in time. */
  static void awaitNoOpenPits(BytesClient caller) {
    Await.untilValue("no point in time is open", () -> openPits(caller), open -> open == 0);
  }

  /**
   * Returns 0 if no shard of an existing index has a context of a point in time. A node's own sum
   * keeps those of deleted indices.
   */
  static int openPits(BytesClient caller) {
    Matcher open = OPEN.matcher(caller.send("GET", "/_stats/search", "", Map.of()).text());
    int sum = 0;
    while (open.find()) {
      sum += Integer.parseInt(open.group(1));
    }
    return sum;
  }

  @Override
  public void close() {
    bed.rest().send("DELETE", "/" + MANY + "," + FEW);
    caller.close();
    bed.close();
  }
}
