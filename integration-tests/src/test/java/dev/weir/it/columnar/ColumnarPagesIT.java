package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Columnar multi-searches and scrolls agree with the plain responses to the same requests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ColumnarPagesIT {
  private static final String TYPES = "columnar-pages";
  private static final String AGGREGATIONS =
      "\"aggs\":{\"words\":{\"terms\":{\"field\":\"keyword\",\"order\":{\"_key\":\"asc\"}},"
          + "\"aggs\":{\"days\":{\"date_histogram\":{\"field\":\"date\",\"calendar_interval\":\"day\","
          + "\"min_doc_count\":1}}}},\"all\":{\"sum\":{\"field\":\"number\"}}}";

  /** A page of hits, an index that is not there, tables, both, a failure, no hits, and a count. */
  private static final String SEARCHES =
      """
      {"index":"%1$s"}
      {"size":5,"sort":["number"]}
      {"index":"columnar-nowhere"}
      {}
      {"index":"%1$s"}
      {"size":0,%2$s}
      {}
      {"size":3,"sort":["number"],"fields":["keyword","date"],"_source":false,%2$s}
      {}
      {"query":{"range":{"number":{"gte":"x"}}}}
      {}
      {"query":{"match_none":{}}}
      {}
      {"size":0}
      """
          .formatted(TYPES, AGGREGATIONS);

  private final TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
  private final BytesClient caller = new BytesClient(bed.uri());
  private final Set<String> whole = new HashSet<>();

  @BeforeAll
  void load() throws IOException {
    whole.addAll(TypedDocumentIndices.load(bed.rest(), TYPES, "mapping.json", "documents.ndjson"));
  }

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + TYPES);
    caller.close();
    bed.close();
  }

  private Answer send(String path, String body) {
    Answer answer = caller.send("POST", path, body, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  private List<Map<String, Object>> searchMany(String parameters) {
    Map<String, Object> whole =
        ExpectedRows.json(send("/" + TYPES + "/_msearch" + parameters, SEARCHES).text());
    assertThat(whole).containsOnlyKeys("took", "responses");
    return ExpectedRows.list(whole.get("responses")).stream().map(ExpectedRows::map).toList();
  }

  private List<Map<String, Object>> expectedRows(Map<String, Object> plain, boolean hasDocuments) {
    List<Map<String, Object>> rows = ExpectedRows.expected(plain, whole, hasDocuments);
    for (Map<String, Object> row : rows) {
      row.computeIfPresent(
          "_ignored",
          (_, names) -> ((List<?>) names).size() == 1 ? ((List<?>) names).get(0) : names);
    }
    return rows;
  }

  private static boolean isFailure(Map<String, Object> response) {
    return response.containsKey("error");
  }

  /** Leaves out which copies were asked. */
  private static Map<String, Object> withoutShards(Map<String, Object> failure) {
    Map<String, Object> error = new LinkedHashMap<>(ExpectedRows.map(failure.get("error")));
    error.remove("failed_shards");
    return Map.of("error", error, "status", String.valueOf(failure.get("status")));
  }

  @Test
  void eachSearchOfManyIsATableInItsPlace() {
    List<Map<String, Object>> plain = searchMany("");
    List<Map<String, Object>> columnar = searchMany("?columnar=true");

    assertThat(columnar).hasSameSizeAs(plain);
    assertThat(plain.stream().filter(ColumnarPagesIT::isFailure)).hasSize(2);
    for (int i = 0; i < plain.size(); i++) {
      Map<String, Object> own = columnar.get(i);
      assertThat(own.get("status")).isEqualTo(plain.get(i).get("status"));
      if (isFailure(plain.get(i))) {
        assertThat(withoutShards(own)).isEqualTo(withoutShards(plain.get(i)));
        continue;
      }
      assertThat(own.get("_shards")).isEqualTo(plain.get(i).get("_shards"));
      if (own.containsKey("columns")) {
        assertThat(ExpectedRows.decodeColumns(own)).isEqualTo(expectedRows(plain.get(i), i != 3));
      } else {
        assertThat(i).isIn(2, 6);
      }
      if (plain.get(i).containsKey("aggregations")) {
        Map<String, Object> tables = ExpectedRows.map(own.get("aggregations"));
        ExpectedTables.expected(plain.get(i))
            .forEach((path, rows) ->
                assertThat(ExpectedRows.decodeColumns(ExpectedRows.map(tables.get(path))))
                    .isEqualTo(rows));
      }
    }
  }

  @Test
  void arrowHasOneStreamForEachTableInOrder() throws IOException {
    List<Map<String, Object>> columnar = searchMany("?columnar=true");
    Answer arrow = send("/" + TYPES + "/_msearch?columnar=arrow", SEARCHES);

    assertThat(arrow.type()).isEqualTo("application/vnd.apache.arrow.stream");
    List<ArrowRows> streams = ArrowRows.readAll(arrow.bytes());
    List<String> places = new ArrayList<>();
    for (ArrowRows table : streams) {
      Map<String, String> metadata = table.metadata();
      String number = Objects.requireNonNull(metadata.get("weir.search"));
      Map<String, Object> expected = columnar.get(Integer.parseInt(number));
      assertThat(metadata.get("weir.status")).isEqualTo(String.valueOf(expected.get("status")));
      assertThat(metadata.get("weir.indices"))
          .isEqualTo(number.equals("1") ? "columnar-nowhere" : TYPES);
      if (isFailure(expected)) {
        assertThat(withoutShards(ExpectedRows.json(metadata.getOrDefault("weir.error", ""))))
            .isEqualTo(withoutShards(expected));
        assertThat(table.fields()).isEmpty();
        places.add(number);
        continue;
      }
      String name = metadata.getOrDefault("weir.table", "");
      places.add(number + " " + name);
      Map<String, Object> rows =
          name.equals("hits")
              ? expected
              : ExpectedRows.map(ExpectedRows.map(expected.get("aggregations")).get(name));
      if (number.equals("6")) {
        assertThat(table.fields()).isEmpty();
      } else {
        assertSame(table, rows);
      }
    }
    assertThat(places)
        .containsExactly(
            "0 hits",
            "1",
            "2 _root",
            "2 words",
            "2 words>days",
            "3 hits",
            "3 _root",
            "3 words",
            "3 words>days",
            "4",
            "5 hits",
            "6 hits");
  }

  private static void assertSame(ArrowRows table, Map<String, Object> columnar) {
    assertThat(table.fields())
        .extracting(Field::getName)
        .containsExactlyElementsOf(ExpectedRows.types(columnar).keySet());
    List<Map<String, Object>> rows = ExpectedRows.decodeColumns(columnar);
    assertThat(table.rows()).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      for (int c = 0; c < table.fields().size(); c++) {
        Field field = table.fields().get(c);
        Object value = rows.get(i).get(field.getName());
        assertThat(ColumnValueMatcher.matchesArrow(value, table.rows().get(i).get(c), field))
            .as("%s: %s, %s", field, value, table.rows().get(i).get(c))
            .isTrue();
      }
    }
  }

  @Test
  void acceptAsksForManyTablesToo() {
    Answer answer =
        caller.send(
            "POST",
            "/" + TYPES + "/_msearch",
            "{}\n{}\n",
            Map.of("Accept", "application/vnd.apache.arrow.stream"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.type()).isEqualTo("application/vnd.apache.arrow.stream");
    Answer csv =
        caller.send("POST", "/" + TYPES + "/_msearch", "{}\n{}\n", Map.of("Accept", "text/csv"));
    assertThat(csv.status()).isEqualTo(406);
  }

  @Test
  void aPartThatColumnsCannotShowIsNamedWithItsSearch() {
    Answer answer =
        caller.send(
            "POST",
            "/" + TYPES + "/_msearch?columnar=true",
            "{}\n{}\n{}\n{\"explain\":true}\n",
            Map.of());
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("search [1]", "[explain]");
  }

  /** A search, and whether its rows have documents. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"size\":3,\"sort\":[\"number\"]}",
        "{\"size\":3,\"query\":{\"range\":{\"number\":{\"lte\":5}}}}",
        "{\"size\":4,\"sort\":[\"number\"],\"version\":true,\"_source\":false,\"fields\":[\"keyword\","
            + "{\"field\":\"day\",\"format\":\"yyyyMMdd\"},\"date\"]}"
      })
  void scrollsHaveThePagesOfPlainOnes(String search) throws IOException {
    boolean hasDocuments = !search.contains("fields");
    Scroll plain = new Scroll("", search);
    Scroll json = new Scroll("columnar=true", search);
    Scroll csv = new Scroll("columnar=csv", search);
    Scroll arrow = new Scroll("columnar=arrow", search);
    Map<String, ArrowType> types = new LinkedHashMap<>();
    boolean isEmpty = false;
    for (int page = 0; !isEmpty; page++) {
      Map<String, Object> expected = ExpectedRows.json(plain.next().text());
      Map<String, Object> got = ExpectedRows.json(json.next().text());
      List<Map<String, Object>> rows = expectedRows(expected, hasDocuments);
      isEmpty = rows.isEmpty();
      assertThat(ExpectedRows.decodeColumns(got)).as("page %s", page).isEqualTo(rows);
      assertThat(got).containsKey("_scroll_id");
      assertThat(ExpectedRows.map(got.get("hits")).get("total"))
          .isEqualTo(ExpectedRows.map(expected.get("hits")).get("total"));

      List<List<@Nullable String>> lines = CsvReader.read(csv.next().text());
      assertThat(lines.getFirst()).containsExactlyElementsOf(ExpectedRows.types(got).keySet());
      assertThat(lines).hasSize(rows.size() + 1);

      ArrowRows table = ArrowRows.read(arrow.next().bytes());
      assertSame(table, got);
      assertThat(table.metadata().get("weir.scroll_id")).isEqualTo(arrow.id);
      for (Field field : table.fields()) {
        if (field.getName().equals("day") || field.getName().equals("date")) {
          ArrowType type =
              field.getChildren().isEmpty()
                  ? field.getType()
                  : field.getChildren().getFirst().getType();
          assertThat(type).isEqualTo(types.computeIfAbsent(field.getName(), _ -> type));
          assertThat(type instanceof ArrowType.Timestamp).isEqualTo(hasDocuments);
        }
      }
    }
    for (Scroll scroll : new Scroll[] {plain, json, csv, arrow}) {
      scroll.close();
    }
  }

  /** A scroll in one format. */
  private final class Scroll {
    private final String parameters;
    private final String search;
    private String id = "";

    Scroll(String parameters, String search) {
      this.parameters = parameters;
      this.search = search;
    }

    Answer next() {
      Answer page =
          id.isEmpty()
              ? send("/" + TYPES + "/_search?scroll=1m&" + parameters, search)
              : send(
                  "/_search/scroll?" + parameters,
                  "{\"scroll\":\"1m\",\"scroll_id\":\"" + id + "\"}");
      id =
          page.type().startsWith("application/json")
              ? String.valueOf(ExpectedRows.json(page.text()).get("_scroll_id"))
              : page.header("X-Weir-Scroll-Id");
      assertThat(id).isNotEmpty();
      return page;
    }

    void close() {
      caller.send("DELETE", "/_search/scroll", "{\"scroll_id\":\"" + id + "\"}", Map.of());
    }
  }

  @Test
  void anUnknownScrollIsAnOrdinaryError() {
    String body = "{\"scroll\":\"1m\",\"scroll_id\":\"none\"}";
    Answer plain = caller.send("POST", "/_search/scroll", body, Map.of());
    Answer columnar = caller.send("POST", "/_search/scroll?columnar=csv", body, Map.of());

    assertThat(columnar.status()).isEqualTo(plain.status());
    assertThat(ExpectedRows.json(columnar.text()).get("error"))
        .isEqualTo(ExpectedRows.json(plain.text()).get("error"));
    assertThat(caller.send("POST", "/_search/scroll?columnar=x", body, Map.of()).status())
        .isEqualTo(400);
  }
}
