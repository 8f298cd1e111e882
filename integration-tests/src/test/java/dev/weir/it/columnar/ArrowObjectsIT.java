package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Random nested objects, points and lists of objects: Arrow's structs have the values of JSON. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArrowObjectsIT {
  private static final String INDEX = "arrow-objects";
  private static final int DOCUMENTS = 120;
  private static final String MAPPING =
      """
      {"settings":{"number_of_replicas":0},"mappings":{"dynamic":false,"properties":{
        "number":{"type":"long"},
        "list":{"type":"nested","properties":{
          "word":{"type":"keyword"},"count":{"type":"integer","ignore_malformed":true},
          "when":{"type":"date"},"place":{"type":"geo_point"},
          "text":{"type":"text","fields":{"raw":{"type":"keyword"}}},
          "inner":{"properties":{"deep":{"type":"double"},"tags":{"type":"keyword"}}},
          "more":{"type":"nested","properties":{"x":{"type":"long"}}}}},
        "where":{"type":"geo_point"},"places":{"type":"geo_point"},
        "size":{"properties":{"w":{"type":"integer"},"h":{"type":"float"}}},
        "free":{"type":"object","enabled":false}}}}
      """;

  private final long seed = TestSeed.random(ArrowObjectsIT.class).nextLong();
  private final Random random = new Random(seed);
  private final TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
  private final BytesClient caller = new BytesClient(bed.uri());

  @BeforeAll
  void load() {
    bed.rest().send("DELETE", "/" + INDEX + "?ignore_unavailable=true").orThrow();
    bed.rest().send("PUT", "/" + INDEX, MAPPING).orThrow();
    StringBuilder bulk = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      bulk.append("{\"index\":{\"_id\":\"" + i + "\"}}\n{\"number\":" + i);
      add(bulk, "list", () -> nested(0));
      add(bulk, "where", this::point);
      add(bulk, "places", () -> random.nextBoolean() ? point() : listOf(this::point));
      add(bulk, "size", () -> random.nextInt(3) > 0 ? size() : listOf(this::size));
      add(bulk, "free", () -> "{\"v\":" + any(0) + "}");
      add(bulk, "new", () -> random.nextInt(9) == 0 ? any(0) : listOf(() -> object(0)));
      bulk.append("}\n");
    }
    String answer =
        bed.rest()
            .bulk(
                "/" + INDEX + "/_bulk?refresh=true",
                bulk.toString().getBytes(StandardCharsets.UTF_8))
            .orThrow()
            .body();
    assertThat(answer).as("seed %s", seed).contains("\"errors\":false");
  }

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + INDEX);
    caller.close();
    bed.close();
  }

  private void add(StringBuilder json, String name, Supplier<String> value) {
    if (random.nextInt(4) > 0) {
      json.append(",\"").append(name).append("\":");
      json.append(random.nextInt(12) == 0 ? "null" : value.get());
    }
  }

  private String listOf(Supplier<String> element) {
    StringBuilder json = new StringBuilder("[");
    for (int left = random.nextInt(4); left > 0; left--) {
      json.append(element.get()).append(left > 1 ? "," : "");
    }
    return json.append("]").toString();
  }

  private String nested(int depth) {
    return random.nextInt(3) == 0 ? element(depth) : listOf(() -> element(depth));
  }

  private String element(int depth) {
    StringBuilder json = new StringBuilder("{\"word\":\"w\\\"" + random.nextInt(9) + "\"");
    add(json, "count", () -> random.nextInt(15) == 0 ? "\"many\"" : "" + random.nextInt());
    add(json, "when", () -> "\"2026-11-2" + random.nextInt(9) + "T01:02:03Z\"");
    add(json, "place", this::point);
    add(json, "text", () -> random.nextBoolean() ? "\"t\"" : "[\"a\",null,\"b\"]");
    add(json, "inner", () -> "{\"deep\":" + random.nextInt(9) + ",\"tags\":[\"x\",\"y\"]}");
    if (depth < 2) {
      add(json, "more", () -> listOf(() -> "{\"x\":" + random.nextLong() + "}"));
    }
    add(json, "unmapped", () -> any(2));
    return json.append('}').toString();
  }

  private String size() {
    return "{\"w\":" + random.nextInt(9) + (random.nextBoolean() ? ",\"h\":1.5}" : "}");
  }

  private String point() {
    int latitude = random.nextInt(80);
    int longitude = random.nextInt(80);
    return switch (random.nextInt(4)) {
      case 0 -> "[" + longitude + ".5," + latitude + "]";
      case 1 -> "\"" + latitude + "," + longitude + ".25\"";
      default -> "{\"lat\":" + latitude + ",\"lon\":" + longitude + "}";
    };
  }

  /** A value of any kind. */
  private String any(int depth) {
    return switch (random.nextInt(depth < 4 ? 8 : 5)) {
      case 0 -> "" + random.nextInt();
      case 1 -> "1.5";
      case 2 -> "\"s\"";
      case 3 -> "" + random.nextBoolean();
      case 4 -> "null";
      case 5 -> listOf(() -> any(depth + 1));
      default -> object(depth + 1);
    };
  }

  private String object(int depth) {
    StringBuilder json = new StringBuilder("{\"k\":" + random.nextInt(9));
    for (String name : new String[] {"a", "b", "c"}) {
      add(json, name, () -> name.equals("a") ? "\"text\"" : any(depth + 1));
    }
    return json.append('}').toString();
  }

  private List<Map<String, Object>> rows(String body) {
    return ExpectedRows.decodeColumns(
        ExpectedRows.json(
            caller.search("/" + INDEX + "/_search?columnar=true", body, Map.of()).text()));
  }

  private void assertSame(String body) throws IOException {
    List<Map<String, Object>> rows = rows(body);
    ArrowRows table =
        ArrowRows.read(
            caller.search("/" + INDEX + "/_search?columnar=arrow", body, Map.of()).bytes());
    assertThat(table.rows()).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      for (int c = 0; c < table.fields().size(); c++) {
        Field field = table.fields().get(c);
        Object value = rows.get(i).get(field.getName());
        Object got = table.rows().get(i).get(c);
        assertThat(ColumnValueMatcher.matchesArrow(value, got, field))
            .as("seed %s, row %s: %s, %s, %s", seed, i, field, value, got)
            .isTrue();
      }
    }
  }

  @Test
  void pagesHaveTheValuesOfJson() throws IOException {
    assertSame("{\"size\":1000,\"sort\":[\"number\"]}");
    for (int from = 0; from < DOCUMENTS; from += 10) {
      assertSame("{\"size\":10,\"from\":" + from + ",\"sort\":[\"number\"]}");
    }
    assertSame("{\"size\":1000,\"fields\":[\"list\",\"where\",\"places\"],\"_source\":false}");
  }

  @Test
  void pagesHaveTheTypesOfTheMapping() throws IOException {
    String none = "{\"query\":{\"match_none\":{}},\"_source\":[\"list\",\"where\"]}";
    ArrowRows empty =
        ArrowRows.read(
            caller.search("/" + INDEX + "/_search?columnar=arrow", none, Map.of()).bytes());
    Field list = empty.fields().get(empty.column("list"));
    assertThat(list.getType()).isInstanceOf(ArrowType.List.class);
    assertThat(list.getChildren().getFirst().getChildren())
        .extracting(Field::getName)
        .containsExactlyInAnyOrder("word", "count", "when", "place", "text", "inner", "more");
    assertThat(empty.fields().get(empty.column("where")).getChildren())
        .extracting(Field::getName)
        .containsExactly("lat", "lon");
  }

  @Test
  void exportsLoseNothing() throws IOException {
    List<Map<String, Object>> rows = rows("{\"size\":1000,\"sort\":[\"number\"]}");
    String lists = "lists=places,list.text,list.inner.tags";
    ArrowRows table =
        ArrowRows.read(
            caller
                .search(
                    "/" + INDEX + "/_weir/export?format=arrow&" + lists,
                    "{\"sort\":[\"number\"]}",
                    Map.of())
                .bytes());
    int rest = table.column("_rest");
    Set<String> structs = new HashSet<>();
    assertThat(table.rows()).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      Object left = table.rows().get(i).get(rest);
      Map<String, Object> others = left == null ? Map.of() : ExpectedRows.json(left.toString());
      for (String name : new String[] {"list", "where", "places", "free"}) {
        Field field = table.fields().get(table.column(name));
        Object value = rows.get(i).get(name);
        Object got = table.rows().get(i).get(table.column(name));
        if (got != null && !name.equals("free")) {
          structs.add(name);
        }
        boolean isSame =
            got == null
                ? value == null || value.equals(others.get(name))
                : ColumnValueMatcher.matchesArrow(value, got, field);
        assertThat(isSame)
            .as("seed %s, row %s: %s, %s, %s, %s", seed, i, field, value, got, left)
            .isTrue();
      }
    }
    assertThat(structs).containsExactlyInAnyOrder("list", "where", "places");
  }
}
