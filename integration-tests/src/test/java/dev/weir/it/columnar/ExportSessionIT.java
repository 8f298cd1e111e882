package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exports tell all that searches match, once, in every form, however they are cut and broken. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportSessionIT {
  private static final String MANY = "export-many";
  private static final String FEW = "export-few";
  private static final String SOME = "export-some";
  private static final int ROWS_OF_MANY = 6500;
  private static final int ROWS_OF_FEW = 700;
  private static final Pattern OPEN = Pattern.compile("\"point_in_time_current\":(\\d+)");

  private final TestBed bed =
      TestBed.withSections(
          SharedCluster.get().seeds(),
          "responses: {export: {max-in-flight: 2, default-slices: 3, target-page-bytes: 8kb}}");
  private final BytesClient caller = new BytesClient(bed.uri());

  @BeforeAll
  void load() {
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

  private void bulk(String index, int from, int to) {
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

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + MANY + "," + FEW);
    caller.close();
    bed.close();
  }

  private Answer export(String index, String parameters, String search) {
    Answer answer = caller.search("/" + index + "/_weir/export?" + parameters, search, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  /** Hits by what tells them apart; each must be there once. */
  private static Map<String, Map<String, Object>> byId(Iterable<Map<String, Object>> rows) {
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

  private static List<String> cursors(String lines) {
    return lines
        .lines()
        .filter(line -> line.startsWith("{\"cursor\""))
        .map(line -> String.valueOf(ExpectedRows.json(line).get("cursor")))
        .toList();
  }

  /** What a plain search says. */
  private Map<String, Map<String, Object>> plain(String index, String search) {
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        MANY + " | slices=1 | {\"sort\":[\"_doc\"]}",
        MANY + " | slices=3 | {\"sort\":[\"_doc\"]}",
        MANY
            + ","
            + FEW
            + " | slices=2 |"
            + " {\"sort\":[\"_doc\"],\"query\":{\"range\":{\"number\":{\"gte\":100}}}}",
        "export-m*,"
            + FEW
            + " | | {\"sort\":[\"_doc\"],\"_source\":[\"size\",\"word\"],\"version\":true,\"seq_no_primary_term\":true}",
        SOME
            + " | slices=auto |"
            + " {\"sort\":[\"_doc\"],\"track_scores\":true,\"query\":{\"term\":{\"word\":{\"value\":\"w\\\"1\",\"_name\":\"one\"}}}}",
        FEW
            + " | | {\"sort\":[\"_doc\"],\"_source\":false,\"fields\":[\"number\",\"tags\",\"word.text\"],\"docvalue_fields\":[\"sold\"]}",
      })
  void linesAreTheHitsOfASearch(String index, @Nullable String parameters, String search) {
    String lines = export(index, parameters == null ? "" : parameters, search).text();

    assertThat(byId(hits(lines))).isEqualTo(plain(index, search)).isNotEmpty();
  }

  @Test
  void csvTellsTheSame() {
    Map<String, Map<String, Object>> plain = plain(MANY + "," + FEW, "{\"sort\":[\"_doc\"]}");
    List<List<@Nullable String>> csv =
        CsvReader.read(export(MANY + "," + FEW, "format=csv", "").text());

    assertThat(csv.getFirst())
        .containsExactly(
            "_index",
            "_id",
            "more",
            "number",
            "price",
            "size.width",
            "sold",
            "tags",
            "word",
            "_rest");
    assertThat(csv).hasSize(1 + plain.size());
    for (List<@Nullable String> cells : csv.subList(1, csv.size())) {
      Map<String, Object> source = source(plain, cells.get(0), cells.get(1));
      assertThat(cells.get(2)).isEqualTo(text(source.get("more")));
      assertThat(cells.get(3)).isEqualTo(text(source.get("number")));
      assertThat(cells.get(5)).isEqualTo(text(ExpectedRows.map(source.get("size")).get("width")));
      assertThat(cells.get(7)).isEqualTo(text(source.get("tags")));
      assertThat(cells.get(8)).isEqualTo(text(source.get("word")));
      assertThat(rest(cells.get(9))).isEqualTo(unmapped(source));
    }
  }

  private static Map<String, Object> source(
      Map<String, Map<String, Object>> plain, @Nullable Object index, @Nullable Object id) {
    Map<String, Object> hit = plain.get(index + "/" + id);
    assertThat(hit).as(index + "/" + id).isNotNull();
    return ExpectedRows.map(ExpectedRows.map(hit).get("_source"));
  }

  private static @Nullable String text(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case List<?> list ->
          list.stream().map(each -> "\"" + each + "\"").toList().toString().replace(" ", "");
      default -> value.toString();
    };
  }

  private static Map<String, Object> rest(@Nullable Object cell) {
    return cell == null ? Map.of() : ExpectedRows.json(cell.toString());
  }

  /** What no column of the mapping takes. */
  private static Map<String, Object> unmapped(Map<String, Object> source) {
    Map<String, Object> rest = new HashMap<>();
    if (source.containsKey("free")) {
      rest.put("free", source.get("free"));
    }
    if (source.containsKey("size")) {
      rest.put("size.depth", 1);
    }
    return rest;
  }

  @Test
  void arrowTellsTheSame() throws IOException {
    Map<String, Map<String, Object>> plain = plain(MANY + "," + FEW, "{\"sort\":[\"_doc\"]}");
    ArrowRows rows = ArrowRows.read(export(MANY + "," + FEW, "format=arrow&lists=ta*", "").bytes());

    assertThat(rows.rows()).hasSize(plain.size());
    for (List<@Nullable Object> row : rows.rows()) {
      Map<String, Object> source = source(plain, row.get(0), row.get(1));
      List<Object> more = ExpectedRows.list(source.get("more"));
      Map<String, Object> rest = unmapped(source);
      if (more.size() > 1) {
        rest.put("more", more); // not said to be a list
      }
      Object width = row.get(rows.column("size.width"));
      assertThat(row.get(rows.column("number"))).isEqualTo(source.get("number"));
      assertThat(row.get(rows.column("price"))).isEqualTo(source.get("price"));
      assertThat(row.get(rows.column("word"))).isEqualTo(source.get("word"));
      assertThat(width == null ? null : ((Long) width).intValue())
          .isEqualTo(ExpectedRows.map(source.get("size")).get("width"));
      assertThat(row.get(rows.column("tags")))
          .isEqualTo(source.get("tags") instanceof List<?> list ? list : List.of("c"));
      assertThat(row.get(rows.column("more"))).isEqualTo(more.size() == 1 ? more.get(0) : null);
      assertThat(rest(row.get(rows.column("_rest")))).isEqualTo(rest);
    }
  }

  @Test
  void keepsTheOrderThatIsAskedFor() {
    String search = "{\"sort\":[{\"word\":\"desc\"},{\"price\":\"asc\"}],\"size\":5000}";
    List<Map<String, Object>> hits = hits(export(MANY + "," + FEW, "", search).text());

    assertThat(hits).hasSize(5000);
    assertThat(byId(hits)).hasSize(5000);
    for (int i = 1; i < hits.size(); i++) {
      Map<String, Object> before = ExpectedRows.map(hits.get(i - 1).get("_source"));
      Map<String, Object> behind = ExpectedRows.map(hits.get(i).get("_source"));
      int order = String.valueOf(before.get("word")).compareTo(String.valueOf(behind.get("word")));
      assertThat(order).isNotNegative();
      if (order == 0) {
        assertThat((Double) before.get("price")).isLessThanOrEqualTo((Double) behind.get("price"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"sort\":[{\"sold\":\"desc\"}]}"})
  void goesOnAtAnyCursor(String search) {
    String index = MANY + "," + FEW;
    String begun = export(index, "cursors=true&size=3000", search).text();
    List<String> cursors = cursors(begun);
    assertThat(cursors).hasSizeGreaterThan(10);

    for (int at : new int[] {0, cursors.size() / 2, cursors.size() - 1}) {
      List<Map<String, Object>> both = new ArrayList<>(before(begun, cursors.get(at)));
      int kept = both.size();
      assertThat(kept).isPositive();
      String some = export(index, "cursors=true&size=1&cursor=" + cursors.get(at), search).text();
      both.addAll(hits(some));
      assertThat(both).hasSize(kept + 1);
      if (at == cursors.size() - 1) {
        both.addAll(hits(export(index, "cursor=" + cursors(some).getLast(), search).text()));
        assertThat(both).hasSize(ROWS_OF_MANY + ROWS_OF_FEW);
      }
      assertThat(byId(both)).hasSameSizeAs(both);
    }
  }

  /** The hits before a cursor. */
  private static List<Map<String, Object>> before(String lines, String cursor) {
    String kept = lines.substring(0, lines.indexOf(cursor));
    return hits(kept.substring(0, kept.lastIndexOf('\n') + 1));
  }

  @Test
  void goesOnWhereTheClientLeft() throws IOException {
    for (String search : List.of("{}", "{\"sort\":[{\"sold\":\"desc\"}]}")) {
      String path = "/" + MANY + "/_weir/export?cursors=true&keep_alive=1m";
      String begun;
      try (SlowChunkedReader answer = new SlowChunkedReader(bed.uri(), path, search)) {
        begun = answer.read(100_000).text();
      }
      String cursor = cursors(begun.substring(0, begun.lastIndexOf('\n'))).getLast();
      List<Map<String, Object>> both = new ArrayList<>(before(begun, cursor));
      assertThat(both).isNotEmpty();
      String rest = export(MANY, "cursors=true&cursor=" + cursor, search).text();
      both.addAll(hits(rest));

      assertThat(both).hasSize(ROWS_OF_MANY);
      assertThat(byId(both)).hasSize(ROWS_OF_MANY);
      assertThat(refusal(MANY, "format=arrow&cursor=" + cursor, search)).contains("another export");
      assertThat(refusal(FEW, "cursor=" + cursor, search)).contains("another export");
    }
    await(() -> openPits() == 0);
  }

  @Test
  void arrowGoesOnAtABatch() throws IOException {
    ArrowBatchReader whole =
        ArrowBatchReader.of(export(MANY, "format=arrow&cursors=true&size=4000", "{}").bytes());
    int kept = whole.count() - 1;
    List<List<@Nullable Object>> rows = new ArrayList<>(ArrowRows.read(whole.first(kept)).rows());
    String cursor = whole.cursor(kept - 1);
    assertThat(rows).hasSizeLessThan(4000);
    rows.addAll(ArrowRows.read(export(MANY, "format=arrow&cursor=" + cursor, "{}").bytes()).rows());

    assertThat(rows.stream().map(row -> row.get(1)).distinct()).hasSize(ROWS_OF_MANY);
    assertThat(rows).hasSize(ROWS_OF_MANY);
  }

  @Test
  void tellsItsRowsAndACursorBehindThem() throws IOException {
    String path = "/" + FEW + "/_weir/export?cursors=true&size=300";
    try (SlowChunkedReader answer = new SlowChunkedReader(bed.uri(), path, "")) {
      assertThat(answer.readAll().isComplete()).isTrue();
      assertThat(hits(answer.text())).hasSize(300);
      assertThat(answer.trailer("x-weir-rows")).isEqualTo("300");
      String cursor = answer.trailer("x-weir-cursor");
      assertThat(cursor).isEqualTo(cursors(answer.text()).getLast());
      assertThat(hits(export(FEW, "cursor=" + cursor, "").text())).hasSize(ROWS_OF_FEW - 300);
    }
  }

  @Test
  void nothingIsAnAnswerToo() throws IOException {
    String none = "{\"query\":{\"match_none\":{}}}";
    assertThat(export(MANY, "", none).text()).isEmpty();
    assertThat(export("export-nothing-*", "", "{}").text()).isEmpty();
    assertThat(CsvReader.read(export(MANY, "format=csv", none).text())).hasSize(1);
    ArrowRows rows = ArrowRows.read(export(MANY, "format=arrow", none).bytes());
    assertThat(rows.rows()).isEmpty();
    assertThat(rows.fields()).hasSize(10);
  }

  @Test
  void takesTheFormThatIsAccepted() {
    Answer csv = caller.search("/" + FEW + "/_weir/export", "", Map.of("Accept", "text/csv"));
    assertThat(csv.type()).startsWith("text/csv");
    Answer plain = caller.search("/" + FEW + "/_weir/export", "", Map.of("Accept", "*/*"));
    assertThat(plain.type()).isEqualTo("application/x-ndjson; charset=UTF-8");
  }

  @Test
  void isEncodedOnTheWay() throws IOException {
    Answer answer =
        caller.search("/" + FEW + "/_weir/export", "", Map.of("Accept-Encoding", "gzip"));
    assertThat(answer.header("content-encoding")).isEqualTo("gzip");
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.bytes()))) {
      assertThat(hits(new String(in.readAllBytes(), StandardCharsets.UTF_8))).hasSize(ROWS_OF_FEW);
    }
  }

  private String refusal(String index, String parameters, String search) {
    Answer answer = caller.search("/" + index + "/_weir/export?" + parameters, search, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.type()).startsWith("application/json");
    return answer.text();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        " | {\"aggs\":{\"a\":{\"avg\":{\"field\":\"number\"}}}} | [aggregations]",
        " | {\"from\":1} | [from]",
        " | {\"size\":0} | [size] of [0]",
        " | {\"collapse\":{\"field\":\"word\"}} | [collapse]",
        " | {\"suggest\":{\"s\":{\"text\":\"a\",\"term\":{\"field\":\"word\"}}}} | [suggest]",
        " | {\"search_after\":[1],\"sort\":[\"number\"]} | [search_after]",
        " | {\"slice\":{\"id\":0,\"max\":2}} | [slice]",
        " | {\"timeout\":\"1s\"} | [timeout]",
        "scroll=1m | {} | [scroll]",
        "format=xml | {} | ndjson, csv or arrow",
        "slices=99 | {} | auto, or 1 to 3",
        "cursor=none | {} | got a cursor that can't be read",
        "format=csv&cursors=true | {} | [cursors]",
        "filter_path=a | {} | [filter_path]",
        "keep_alive=0s | {} | [keep_alive]",
        " | {\"query\":{\"range\":{\"number\":{\"gte\":\"x\"}}}} | For input string",
        " | {\"nonsense\":1} | Unknown key",
      })
  void refusesBeforeTheFirstByte(@Nullable String parameters, String search, String why) {
    assertThat(refusal(FEW, parameters == null ? "" : parameters, search)).contains(why);
  }

  @Test
  void otherErrorsAreThoseOfASearch() {
    String path = "/_weir/export";
    assertThat(caller.search("/export-none" + path, "", Map.of()).status()).isEqualTo(404);
    Answer foreign = caller.search("/" + FEW + path + "?search_pipeline=none-such", "", Map.of());
    assertThat(foreign.status()).as(foreign.text()).isEqualTo(406);
    caller.send("PUT", "/_search/pipeline/export-piped", "{\"description\":\"none\"}", Map.of());
    String setting = "{\"index.search.default_pipeline\":\"export-piped\"}";
    caller.send("PUT", "/export-piped", "{\"settings\":" + setting + "}", Map.of());
    String piped = "/export-piped" + path;
    assertThat(caller.search(piped, "", Map.of()).status()).isEqualTo(406);
    String pits = "/export-piped/_search/point_in_time?keep_alive=1m";
    String pit = caller.send("POST", pits, "", Map.of()).text();
    String own =
        "{\"pit\":{\"id\":\"" + pit.replaceAll("(?s).*pit_id\":\"([^\"]*)\".*", "$1") + "\"}}";
    assertThat(caller.search(path, own, Map.of()).status()).isEqualTo(200);
    caller.send("DELETE", "/_search/point_in_time/_all", "", Map.of());
  }

  private int openPits() {
    return openPits(caller);
  }

  /** How many contexts of points in time nodes have. */
  static int openPits(BytesClient caller) {
    Matcher open =
        OPEN.matcher(caller.send("GET", "/_nodes/stats/indices/search", "", Map.of()).text());
    int sum = 0;
    while (open.find()) {
      sum += Integer.parseInt(open.group(1));
    }
    return sum;
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(20_000_000);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  @Test
  void leavesTheClientsOwnPointInTime() {
    String opened =
        caller
            .send("POST", "/" + FEW + "/_search/point_in_time?keep_alive=1m", "", Map.of())
            .text();
    String id = String.valueOf(ExpectedRows.json(opened).get("pit_id"));
    bulk(FEW, ROWS_OF_FEW, ROWS_OF_FEW + 1);
    try {
      String search = "{\"pit\":{\"id\":\"" + id + "\"}}";
      Answer first = caller.search("/_weir/export", search, Map.of());
      assertThat(hits(first.text())).hasSize(ROWS_OF_FEW);
      Answer second = caller.search("/_weir/export?format=csv", search, Map.of());
      assertThat(CsvReader.read(second.text())).hasSize(1 + ROWS_OF_FEW);
    } finally {
      caller.send(
          "DELETE", "/" + FEW + "/_doc/" + FEW + ROWS_OF_FEW + "?refresh=true", "", Map.of());
      caller.send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + id + "\"]}", Map.of());
    }
  }

  @Test
  void isANodesBusinessWhereItIsOff() {
    try (TestBed off =
            TestBed.withSections(
                SharedCluster.get().seeds(), "responses: {export: {enabled: false}}");
        BytesClient another = new BytesClient(off.uri())) {
      Answer answer = another.search("/" + FEW + "/_weir/export", "", Map.of());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("no handler found");
    }
  }
}
