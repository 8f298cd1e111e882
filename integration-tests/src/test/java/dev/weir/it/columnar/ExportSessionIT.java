package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.junit.Drawn;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exports contain every hit of a search once, in every format. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 3)
class ExportSessionIT {
  private final ExportTestBed bed = new ExportTestBed();

  @AfterAll
  void close() {
    bed.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ExportTestBed.MANY + " | slices=1 | {\"sort\":[\"_doc\"]}",
        ExportTestBed.MANY + " | slices=3 | {\"sort\":[\"_doc\"]}",
        ExportTestBed.MANY
            + ","
            + ExportTestBed.FEW
            + " | slices=2 |"
            + " {\"sort\":[\"_doc\"],\"query\":{\"range\":{\"number\":{\"gte\":100}}}}",
        "export-m*,"
            + ExportTestBed.FEW
            + " | | {\"sort\":[\"_doc\"],\"_source\":[\"size\",\"word\"],\"version\":true,\"seq_no_primary_term\":true}",
        ExportTestBed.SOME
            + " | slices=auto |"
            + " {\"sort\":[\"_doc\"],\"track_scores\":true,\"query\":{\"term\":{\"word\":{\"value\":\"w\\\"1\",\"_name\":\"one\"}}}}",
        ExportTestBed.FEW
            + " | | {\"sort\":[\"_doc\"],\"_source\":false,\"fields\":[\"number\",\"tags\",\"word.text\"],\"docvalue_fields\":[\"sold\"]}",
        ExportTestBed.FEW
            + " | | {\"sort\":[\"_doc\"],\"min_score\":3,\"indices_boost\":[{\"export-few\":2}],"
            + "\"query\":{\"constant_score\":{\"filter\":{\"range\":{\"number\":{\"gte\":5}}},\"boost\":2}}}",
      })
  void exportHitsOfSearchAsLines(String index, @Nullable String parameters, String search) {
    String lines = bed.export(index, parameters == null ? "" : parameters, search).text();

    assertThat(ExportTestBed.byId(ExportTestBed.hits(lines)))
        .isEqualTo(bed.plain(index, search))
        .isNotEmpty();
  }

  @Test
  void exportSameValuesAsCsv() {
    Map<String, Map<String, Object>> plain =
        bed.plain(ExportTestBed.MANY + "," + ExportTestBed.FEW, "{\"sort\":[\"_doc\"]}");
    List<List<@Nullable String>> csv =
        CsvReader.read(
            bed.export(ExportTestBed.MANY + "," + ExportTestBed.FEW, "format=csv", "").text());

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

  /** Returns the values that no column of the mapping contains. */
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
  void exportSameValuesAsArrow() throws IOException {
    Map<String, Map<String, Object>> plain =
        bed.plain(ExportTestBed.MANY + "," + ExportTestBed.FEW, "{\"sort\":[\"_doc\"]}");
    ArrowRows rows =
        ArrowRows.read(
            bed.export(ExportTestBed.MANY + "," + ExportTestBed.FEW, "format=arrow&lists=ta*", "")
                .bytes());

    assertThat(rows.rows()).hasSize(plain.size());
    for (List<@Nullable Object> row : rows.rows()) {
      Map<String, Object> source = source(plain, row.get(0), row.get(1));
      List<Object> more = ExpectedRows.list(source.get("more"));
      Map<String, Object> rest = unmapped(source);
      if (more.size() > 1) {
        rest.put("more", more); // the request does not name it as a list
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
  void keepRequestedOrder() {
    String search = "{\"sort\":[{\"word\":\"desc\"},{\"price\":\"asc\"}],\"size\":5000}";
    List<Map<String, Object>> hits =
        ExportTestBed.hits(
            bed.export(ExportTestBed.MANY + "," + ExportTestBed.FEW, "", search).text());

    assertThat(hits).hasSize(5000);
    assertThat(ExportTestBed.byId(hits)).hasSize(5000);
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

  @Test
  void exportNothing() throws IOException {
    String none = "{\"query\":{\"match_none\":{}}}";
    assertThat(bed.export(ExportTestBed.MANY, "", none).text()).isEmpty();
    assertThat(bed.export("export-nothing-*", "", "{}").text()).isEmpty();
    assertThat(CsvReader.read(bed.export(ExportTestBed.MANY, "format=csv", none).text()))
        .hasSize(1);
    ArrowRows rows = ArrowRows.read(bed.export(ExportTestBed.MANY, "format=arrow", none).bytes());
    assertThat(rows.rows()).isEmpty();
    assertThat(rows.fields()).hasSize(10);
  }

  @Test
  void chooseFormatByAcceptHeader() {
    Answer csv =
        bed.caller()
            .search("/" + ExportTestBed.FEW + "/_weir/export", "", Map.of("Accept", "text/csv"));
    assertThat(csv.type()).startsWith("text/csv");
    Answer plain =
        bed.caller().search("/" + ExportTestBed.FEW + "/_weir/export", "", Map.of("Accept", "*/*"));
    assertThat(plain.type()).isEqualTo("application/x-ndjson; charset=UTF-8");
  }

  @Test
  void encodeResponse() throws IOException {
    Answer answer =
        bed.caller()
            .search(
                "/" + ExportTestBed.FEW + "/_weir/export", "", Map.of("Accept-Encoding", "gzip"));
    assertThat(answer.header("content-encoding")).isEqualTo("gzip");
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.bytes()))) {
      assertThat(ExportTestBed.hits(new String(in.readAllBytes(), StandardCharsets.UTF_8)))
          .hasSize(ExportTestBed.ROWS_OF_FEW);
    }
  }

  @Test
  void keepPointInTimeOfClient() {
    String opened =
        bed.caller()
            .send(
                "POST",
                "/" + ExportTestBed.FEW + "/_search/point_in_time?keep_alive=1m",
                "",
                Map.of())
            .text();
    String id = String.valueOf(ExpectedRows.json(opened).get("pit_id"));
    bed.bulk(ExportTestBed.FEW, ExportTestBed.ROWS_OF_FEW, ExportTestBed.ROWS_OF_FEW + 1);
    try {
      String search = "{\"pit\":{\"id\":\"" + id + "\"}}";
      Answer first = bed.caller().search("/_weir/export", search, Map.of());
      assertThat(ExportTestBed.hits(first.text())).hasSize(ExportTestBed.ROWS_OF_FEW);
      Answer second = bed.caller().search("/_weir/export?format=csv", search, Map.of());
      assertThat(CsvReader.read(second.text())).hasSize(1 + ExportTestBed.ROWS_OF_FEW);
    } finally {
      bed.caller()
          .send(
              "DELETE",
              "/"
                  + ExportTestBed.FEW
                  + "/_doc/"
                  + ExportTestBed.FEW
                  + ExportTestBed.ROWS_OF_FEW
                  + "?refresh=true",
              "",
              Map.of());
      bed.caller()
          .send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + id + "\"]}", Map.of());
    }
  }
}
