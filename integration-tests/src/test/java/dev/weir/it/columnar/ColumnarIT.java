package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Columnar responses agree with the plain responses to the same searches, for fields of every type
 * that the nodes have; in JSON, in CSV, and in Arrow's stream as Arrow's own readers parse it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ColumnarIT {
  private static final String TYPES = "columnar-types";
  private static final String OTHER = "columnar-other";
  private static final String BOTH = TYPES + "," + OTHER;
  private static final String SORTED = "\"size\":50,\"sort\":[{\"number\":\"asc\"}]";

  private final TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
  private final BytesClient caller = new BytesClient(bed.uri());
  private final Set<String> whole = new HashSet<>();

  @BeforeAll
  void load() throws IOException {
    whole.addAll(TypedDocumentIndices.load(bed.rest(), TYPES, "mapping.json", "documents.ndjson"));
    whole.addAll(TypedDocumentIndices.load(bed.rest(), OTHER, "other.json", "other.ndjson"));
  }

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + BOTH);
    caller.close();
    bed.close();
  }

  /** The index, then after the bar its search. */
  private static final String[] SEARCHES = {
    "{%s} | TYPES",
    "{%s} | BOTH",
    "{%s,\"query\":{\"match_none\":{}}} | TYPES",
    "{%s,\"track_scores\":true,\"version\":true,\"seq_no_primary_term\":true} | TYPES",
    "{%s,\"_source\":[\"key*\",\"object.size\",\"long\",\"nowhere\"]} | BOTH",
    "{%s,\"_source\":{\"excludes\":[\"object\",\"text\"]}} | TYPES",
    "{%s,\"_source\":false} | TYPES",
    "{%s,\"fields\":[\"b*\",\"c*\",\"d*\",\"f*\",\"g*\",\"h*\",\"i*\",\"k*\",\"l*\",\"m*\",\"n*\",\"o*\",\"s*\",\"t*\",\"u*\",\"w*\"]}"
        + " | TYPES",
    "{%s,\"fields\":[\"long\",\"text.raw\",\"other_name\",{\"field\":\"date\",\"format\":\"epoch_millis\"},\"object.*\"]}"
        + " | BOTH",
    "{%s,\"fields\":[\"long\",\"keyword\"],\"_source\":[\"text\",\"keyword\"]} | TYPES",
    "{%s,\"docvalue_fields\":[\"boolean\",\"byte\",\"long\",\"unsigned_long\",\"half_float\",\"scaled_float\",\"date\",\"date_nanos\",\"day\",\"keyword\",\"ip\",\"geo_point\",\"constant\"]}"
        + " | TYPES",
    "{%s,\"stored_fields\":[\"stored\"]} | TYPES",
    "{%s,\"stored_fields\":\"_none_\"} | TYPES",
    "{%s,\"script_fields\":{\"twice\":{\"script\":\"doc['number'].value *"
        + " 2\"},\"list\":{\"script\":\"[1, 'a', null]\"}}} | TYPES",
    "{%s,\"collapse\":{\"field\":\"number\"}} | TYPES",
    "{%s,\"query\":{\"bool\":{\"should\":[{\"term\":{\"keyword\":{\"value\":\"one\",\"_name\":\"first\"}}},{\"match_all\":{}}]}}}"
        + " | TYPES",
  };

  static List<String> searches() {
    return List.of(SEARCHES);
  }

  private record Search(String path, String body, boolean documents) {
    static Search of(String line) {
      int bar = line.lastIndexOf(" | ");
      String body = line.substring(0, bar).formatted(SORTED);
      boolean fields =
          body.contains("\"fields\"")
              || body.contains("\"docvalue_fields\"")
              || body.contains("\"script_fields\"");
      return new Search(
          "/" + (line.endsWith("BOTH") ? BOTH : TYPES) + "/_search",
          body,
          !fields || body.contains("\"_source\""));
    }
  }

  private Answer search(Search search, String parameters) {
    Answer answer = caller.search(search.path + parameters, search.body, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  @ParameterizedTest
  @MethodSource("searches")
  void columnsAreThoseOfThePlainHits(String line) {
    Search search = Search.of(line);
    Map<String, Object> plain = ExpectedRows.json(search(search, "").text());
    Map<String, Object> columnar = ExpectedRows.json(search(search, "?columnar=true").text());

    List<Map<String, Object>> expected = ExpectedRows.expected(plain, whole, search.documents);
    expected.forEach(ColumnarIT::renamed);
    assertThat(ExpectedRows.decodeColumns(columnar)).isEqualTo(expected);
    assertThat(columnar.get("_shards")).isEqualTo(plain.get("_shards"));
    assertThat(columnar.get("timed_out")).isEqualTo(plain.get("timed_out"));
    assertThat(columnar).containsKey("took");
    Map<String, Object> envelope = ExpectedRows.map(columnar.get("hits"));
    Map<String, Object> page = ExpectedRows.map(plain.get("hits"));
    assertThat(envelope.get("total")).isEqualTo(page.get("total"));
    assertThat(envelope.get("max_score")).isEqualTo(page.get("max_score"));
    assertThat(envelope).doesNotContainKey("hits");
    List<Object> hits = ExpectedRows.list(page.get("hits"));
    if (!hits.isEmpty()) {
      assertThat(columnar.get("search_after"))
          .isEqualTo(ExpectedRows.map(hits.getLast()).get("sort"));
    }
  }

  private static void renamed(Map<String, Object> row) {
    Object matched = row.remove("matched_queries");
    if (matched instanceof List<?> list) {
      row.put("_matched_queries", list);
    }
    if (row.get("_ignored") instanceof List<?> list && list.size() == 1) {
      row.put("_ignored", list.getFirst());
    }
  }

  @ParameterizedTest
  @MethodSource("searches")
  void csvHasTheSameValues(String line) {
    Search search = Search.of(line);
    Map<String, Object> columnar = ExpectedRows.json(search(search, "?columnar=true").text());
    Answer csv = search(search, "?columnar=csv");

    assertThat(csv.type()).startsWith("text/csv");
    List<List<@Nullable String>> lines = CsvReader.read(csv.text());
    List<String> names = List.copyOf(ExpectedRows.types(columnar).keySet());
    assertThat(lines.getFirst()).isEqualTo(names);
    List<Map<String, Object>> rows = ExpectedRows.decodeColumns(columnar);
    assertThat(lines).hasSize(rows.size() + 1);
    for (int i = 0; i < rows.size(); i++) {
      for (int c = 0; c < names.size(); c++) {
        Object value = rows.get(i).get(names.get(c));
        String cell = lines.get(i + 1).get(c);
        assertThat(ColumnValueMatcher.matchesCsv(value, cell))
            .as("%s: %s, %s", names.get(c), value, cell)
            .isTrue();
      }
    }
    Map<String, Object> envelope = ExpectedRows.json(csv.header("X-Weir-Response-Metadata"));
    assertThat(envelope.get("_shards")).isEqualTo(columnar.get("_shards"));
    assertThat(envelope.get("hits")).isEqualTo(columnar.get("hits"));
  }

  @ParameterizedTest
  @MethodSource("searches")
  void arrowHasTheSameValues(String line) throws IOException {
    Search search = Search.of(line);
    Map<String, Object> columnar = ExpectedRows.json(search(search, "?columnar=true").text());
    Answer arrow = search(search, "?columnar=arrow");

    assertThat(arrow.type()).isEqualTo("application/vnd.apache.arrow.stream");
    ArrowRows table = ArrowRows.read(arrow.bytes());
    assertThat(table.fields())
        .extracting(Field::getName)
        .containsExactlyElementsOf(ExpectedRows.types(columnar).keySet());
    List<Map<String, Object>> rows = ExpectedRows.decodeColumns(columnar);
    assertThat(table.rows()).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      for (int c = 0; c < table.fields().size(); c++) {
        Field field = table.fields().get(c);
        Object value = rows.get(i).get(field.getName());
        Object got = table.rows().get(i).get(c);
        assertThat(ColumnValueMatcher.matchesArrow(value, got, field))
            .as("%s: %s, %s", field, value, got)
            .isTrue();
      }
    }
    Map<String, String> types = ExpectedRows.types(columnar);
    for (Field field : table.fields()) {
      String name = field.getName();
      boolean empty =
          "null".equals(types.get(name)) && rows.stream().noneMatch(row -> row.containsKey(name));
      assertThat(field.getType() instanceof ArrowType.Null).as(name).isEqualTo(empty);
    }
    assertThat(
            ExpectedRows.json(
                    Objects.requireNonNull(table.metadata().get("weir.response_metadata")))
                .get("hits"))
        .isEqualTo(columnar.get("hits"));
  }

  @Test
  void pythonReadsTheSameFromArrow(@TempDir Path folder) throws Exception {
    String python = Objects.requireNonNullElse(System.getenv("WEIR_PYTHON"), "python3");
    Run found = run(python, "-c", "import pyarrow");
    assumeTrue(found.ok, "python3 with pyarrow is missing here: " + found.errors);
    Answer arrow = search(Search.of("{%s} | BOTH"), "?columnar=arrow");
    Path stream = Files.write(folder.resolve("hits.arrow"), arrow.bytes());
    URL script = Objects.requireNonNull(ColumnarIT.class.getResource("/columnar/read_arrow.py"));

    Run read = run(python, Path.of(script.toURI()).toString(), stream.toString());

    assertThat(read.ok).as(read.errors).isTrue();
    ArrowRows table = ArrowRows.read(arrow.bytes());
    Map<String, Object> told = ExpectedRows.json(read.output);
    assertThat(ExpectedRows.list(told.get("names")))
        .isEqualTo(table.fields().stream().map(Field::getName).toList());
    List<Object> rows = ExpectedRows.list(told.get("rows"));
    assertThat(rows).hasSameSizeAs(table.rows());
    for (int i = 0; i < rows.size(); i++) {
      assertThat(shown(ExpectedRows.list(rows.get(i)))).isEqualTo(shown(table.rows().get(i)));
    }
  }

  /** Compares numbers by value, not by class. */
  private static List<String> shown(List<@Nullable Object> row) {
    return row.stream().map(ColumnarIT::shown).toList();
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case List<?> list -> shown(new ArrayList<@Nullable Object>(list)).toString();
      case Map<?, ?> members ->
          members.keySet() + shown(new ArrayList<@Nullable Object>(members.values())).toString();
      case Number number -> Double.toString(number.doubleValue());
      default -> value.toString();
    };
  }

  private record Run(boolean ok, String output, String errors) {}

  private static Run run(String... command) throws InterruptedException {
    try {
      Path errors = Files.createTempFile("columnar", ".txt");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(2, TimeUnit.MINUTES);
      String said = Files.readString(errors);
      Files.delete(errors);
      return new Run(ended && process.exitValue() == 0, output, said);
    } catch (IOException missing) {
      return new Run(false, "", String.valueOf(missing.getMessage()));
    }
  }

  @Test
  void typesAreTheMappings() {
    Map<String, String> types =
        ExpectedRows.types(
            ExpectedRows.json(search(Search.of("{%s} | BOTH"), "?columnar=true").text()));

    assertThat(types)
        .containsEntry("_id", "keyword")
        .containsEntry("unsigned_long", "unsigned_long")
        .containsEntry("day", "date")
        .containsEntry("geo_point", "geo_point")
        .containsEntry("object.size.width", "integer")
        .containsEntry("nested", "nested")
        .containsEntry("conflict", "mixed")
        .containsEntry("narrow", "long")
        .containsEntry("time", "date_nanos")
        .containsEntry("keyword", "keyword")
        .containsEntry("integer", "double")
        .containsEntry("unmapped", "mixed")
        .containsEntry("deep.er.down", "long")
        .doesNotContainKey("_score");
  }

  @Test
  void typesAreTheMappingsWithoutAHit() {
    String asked =
        "{\"query\":{\"match_none\":{}},\"_source\":[\"double\",\"narrow\",\"nowhere\",\"object\"]%s}";
    Map<String, String> expected = new LinkedHashMap<>();
    expected.put("_index", "keyword");
    expected.put("_id", "keyword");
    expected.put("_score", "float");
    expected.put("double", "double");
    expected.put("narrow", "long");
    expected.put("nowhere", "null");
    Search everywhere =
        new Search("/columnar-ty*," + OTHER + "/_search", asked.formatted(""), true);
    assertThat(ExpectedRows.types(ExpectedRows.json(search(everywhere, "?columnar=true").text())))
        .containsExactlyEntriesOf(expected);

    String made =
        caller
            .send("POST", "/" + TYPES + "/_search/point_in_time?keep_alive=1m", "", Map.of())
            .text();
    String pit = "{\"id\":\"" + ExpectedRows.json(made).get("pit_id") + "\"}";
    expected.put("narrow", "integer");
    Search frozen = new Search("/_search", asked.formatted(",\"pit\":" + pit), true);
    assertThat(ExpectedRows.types(ExpectedRows.json(search(frozen, "?columnar=true").text())))
        .containsExactlyEntriesOf(expected);
    caller.send("DELETE", "/_search/point_in_time", pit.replace("\"id\"", "\"pit_id\""), Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fields", "docvalue_fields"})
  void datesInAFormatOfTheSearchAreText(String from) throws IOException {
    String named = ",\"" + from + "\":[{\"field\":\"date\",\"format\":\"yyyyMMdd\"},\"day\"]}";
    Search search = new Search("/" + TYPES + "/_search", "{" + SORTED + named, false);
    List<Map<String, Object>> rows =
        ExpectedRows.decodeColumns(ExpectedRows.json(search(search, "?columnar=true").text()));
    ArrowRows table = ArrowRows.read(search(search, "?columnar=arrow").bytes());

    int date = table.column("date");
    assertThat(rows).anyMatch(row -> row.get("date") instanceof String);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(
              ColumnValueMatcher.matchesArrow(
                  rows.get(i).get("date"), table.rows().get(i).get(date), table.fields().get(date)))
          .isTrue();
    }
    assertThat(element(table.fields().get(date))).isInstanceOf(ArrowType.Utf8.class);
    assertThat(element(table.fields().get(table.column("day"))))
        .isInstanceOf(ArrowType.Timestamp.class);
  }

  private static ArrowType element(Field field) {
    return field.getChildren().isEmpty() ? field.getType() : field.getChildren().get(0).getType();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"query\":{\"mathc\":{\"text\":\"a\"}}}",
        "{\"query\":{\"bool\":{\"must\":[{\"nowhere\":{}}]}}}",
        "{\"aggs\":{\"a\":{\"trems\":{\"field\":\"keyword\"}}}}",
        "{\"sort\":[{\"number\":{\"ordr\":\"asc\"}}]}"
      })
  void misspeltNamesGetTheErrorOfAPlainSearch(String body) {
    Map<String, Object> plain =
        ExpectedRows.json(caller.search("/" + TYPES + "/_search", body, Map.of()).text());

    assertThat(plain.get("status")).isEqualTo(400);
    for (String path : new String[] {"/_search?columnar=arrow", "/_weir/export"}) {
      Answer answer = caller.search("/" + TYPES + path, body, Map.of());
      assertThat(answer.status()).as(answer.text()).isEqualTo(400);
      assertThat(ExpectedRows.json(answer.text())).isEqualTo(plain);
    }
  }

  @Test
  void objectsAreStructs() throws IOException {
    ArrowRows table = ArrowRows.read(search(Search.of("{%s} | TYPES"), "?columnar=arrow").bytes());

    Field nested = table.fields().get(table.column("nested"));
    assertThat(nested.getType()).isInstanceOf(ArrowType.List.class);
    assertThat(element(nested)).isInstanceOf(ArrowType.Struct.class);
    assertThat(nested.getChildren().getFirst().getChildren())
        .extracting(Field::getName)
        .containsExactly("a", "b");
    Field points = table.fields().get(table.column("geo_point"));
    assertThat(element(points)).isInstanceOf(ArrowType.Struct.class);
    assertThat(element(table.fields().get(table.column("object"))))
        .isInstanceOf(ArrowType.Struct.class);
    assertThat(table.fields().get(table.column("integer_range")).getType())
        .isInstanceOf(ArrowType.Utf8.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/columnar-types/_search?columnar=maybe | {} | 400 | expected: true, false, json, csv or"
            + " arrow",
        "/columnar-nowhere/_search?columnar=csv | {} | 404 | no such index",
        "/columnar-types/_search?columnar=arrow | {\"query\":{\"match_all\":[]}} | 400 | match_all",
        "/columnar-types/_search?columnar=true | {\"query\":{\"knn\":{}}} | 406 | unknown-name",
        "/columnar-types/_search?columnar=true&search_pipeline=any | {} | 406 | search-pipeline",
        "/_msearch?columnar=csv | {} | 406 | json or arrow",
        "/_msearch?columnar=arrow&columnar_table=hits | {} | 400 | columnar_table",
        "/columnar-types/_search?columnar=true&filter_path=took | {} | 400 | filter_path",
        "/columnar-types/_search?columnar=csv&filter_path=took | {} | 400 | filter_path",
        "/columnar-types/_search?columnar=true | {\"highlight\":{\"fields\":{\"text\":{}}}} | 400 |"
            + " highlight",
        "/columnar-types/_search?columnar=true | {\"explain\":true} | 400 | explain",
        "/columnar-types/_search?columnar=true |"
            + " {\"post_filter\":{\"nested\":{\"path\":\"nested\",\"query\":{\"match_all\":{}},\"inner_hits\":{}}}}"
            + " | 400 | inner_hits",
        "/columnar-types/_search?columnar=csv | {\"profile\":true} | 400 | profile",
        "/columnar-types/_search?columnar=csv&columnar_table=none | {} | 400 | none",
        "/columnar-types/_search?columnar=true&collumns=a | {} | 400 | unrecognized parameter",
      })
  void errorsAreOrdinaryJson(String path, String body, int status, String reason) {
    Answer answer = caller.search(path, body, Map.of("Accept", "text/csv"));

    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.type()).startsWith("application/json");
    Map<String, Object> error = ExpectedRows.json(answer.text());
    assertThat(error.get("status")).isEqualTo(status);
    assertThat(String.valueOf(error.get("error"))).contains(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/csv | text/csv",
        "application/vnd.apache.arrow.stream | application/vnd.apache.arrow.stream",
        "text/csv;q=0.5, application/vnd.apache.arrow.stream | application/vnd.apache.arrow.stream",
        "application/vnd.weir.columnar+json | application/json",
        "application/json, text/csv | application/json",
        "*/*, text/csv | application/json",
        "text/html, */*;q=0.8 | application/json",
      })
  void acceptAsksToo(String accept, String type) {
    Answer answer =
        caller.search("/" + TYPES + "/_search", "{\"size\":1}", Map.of("Accept", accept));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.type()).startsWith(type);
    if (type.equals("application/json")) {
      assertThat(ExpectedRows.json(answer.text()).containsKey("columns"))
          .isEqualTo(accept.contains("columnar"));
    }
  }
}
