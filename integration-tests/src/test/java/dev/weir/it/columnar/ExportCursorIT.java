package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exports that continue at a cursor have each row once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportCursorIT {
  private final ExportTestBed bed = new ExportTestBed();

  @AfterAll
  void close() {
    bed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"sort\":[{\"sold\":\"desc\"}]}"})
  void continueAtAnyCursor(String search) {
    String index = ExportTestBed.MANY + "," + ExportTestBed.FEW;
    String begun = bed.export(index, "cursors=true&size=3000", search).text();
    List<String> cursors = ExportTestBed.cursors(begun);
    assertThat(cursors).hasSizeGreaterThan(10);

    for (int at : new int[] {0, cursors.size() / 2, cursors.size() - 1}) {
      List<Map<String, Object>> both = new ArrayList<>(before(begun, cursors.get(at)));
      int kept = both.size();
      assertThat(kept).isPositive();
      String some =
          bed.export(index, "cursors=true&size=1&cursor=" + cursors.get(at), search).text();
      both.addAll(ExportTestBed.hits(some));
      assertThat(both).hasSize(kept + 1);
      if (at == cursors.size() - 1) {
        both.addAll(
            ExportTestBed.hits(
                bed.export(index, "cursor=" + ExportTestBed.cursors(some).getLast(), search)
                    .text()));
        assertThat(both).hasSize(ExportTestBed.ROWS_OF_MANY + ExportTestBed.ROWS_OF_FEW);
      }
      assertThat(ExportTestBed.byId(both)).hasSameSizeAs(both);
    }
  }

  /** Returns the hits before a cursor. */
  private static List<Map<String, Object>> before(String lines, String cursor) {
    String kept = lines.substring(0, lines.indexOf(cursor));
    return ExportTestBed.hits(kept.substring(0, kept.lastIndexOf('\n') + 1));
  }

  @Test
  void continueWhereClientDisconnected() throws IOException {
    for (String search : List.of("{}", "{\"sort\":[{\"sold\":\"desc\"}]}")) {
      String path = "/" + ExportTestBed.MANY + "/_weir/export?cursors=true&keep_alive=1m";
      String begun;
      try (SlowChunkedReader answer = new SlowChunkedReader(bed.uri(), path, search)) {
        begun = answer.read(100_000).text();
      }
      String cursor = ExportTestBed.cursors(begun.substring(0, begun.lastIndexOf('\n'))).getLast();
      List<Map<String, Object>> both = new ArrayList<>(before(begun, cursor));
      assertThat(both).isNotEmpty();
      String rest = bed.export(ExportTestBed.MANY, "cursors=true&cursor=" + cursor, search).text();
      both.addAll(ExportTestBed.hits(rest));

      assertThat(both).hasSize(ExportTestBed.ROWS_OF_MANY);
      assertThat(ExportTestBed.byId(both)).hasSize(ExportTestBed.ROWS_OF_MANY);
      assertThat(bed.refusal(ExportTestBed.MANY, "format=arrow&cursor=" + cursor, search))
          .contains("another export");
      assertThat(bed.refusal(ExportTestBed.FEW, "cursor=" + cursor, search))
          .contains("another export");
    }
    ExportTestBed.awaitNoOpenPits(bed.caller());
  }

  @Test
  void continueArrowAtBatch() throws IOException {
    ArrowBatchReader whole =
        ArrowBatchReader.of(
            bed.export(ExportTestBed.MANY, "format=arrow&cursors=true&size=4000", "{}").bytes());
    int kept = whole.count() - 1;
    List<List<@Nullable Object>> rows = new ArrayList<>(ArrowRows.read(whole.first(kept)).rows());
    String cursor = whole.cursor(kept - 1);
    assertThat(rows).hasSizeLessThan(4000);
    rows.addAll(
        ArrowRows.read(
                bed.export(ExportTestBed.MANY, "format=arrow", "{\"cursor\":\"" + cursor + "\"}")
                    .bytes())
            .rows());

    assertThat(rows.stream().map(row -> row.get(1)).distinct()).hasSize(ExportTestBed.ROWS_OF_MANY);
    assertThat(rows).hasSize(ExportTestBed.ROWS_OF_MANY);
  }

  @Test
  void sendRowCountAndCursorInTrailers() throws IOException {
    String path = "/" + ExportTestBed.FEW + "/_weir/export?cursors=true&size=300";
    try (SlowChunkedReader answer = new SlowChunkedReader(bed.uri(), path, "")) {
      assertThat(answer.readAll().isComplete()).isTrue();
      assertThat(ExportTestBed.hits(answer.text())).hasSize(300);
      assertThat(answer.trailer("x-weir-rows")).isEqualTo("300");
      String cursor = answer.trailer("x-weir-cursor");
      assertThat(cursor).isEqualTo(ExportTestBed.cursors(answer.text()).getLast());
      assertThat(ExportTestBed.hits(bed.export(ExportTestBed.FEW, "cursor=" + cursor, "").text()))
          .hasSize(ExportTestBed.ROWS_OF_FEW - 300);
    }
  }
}
