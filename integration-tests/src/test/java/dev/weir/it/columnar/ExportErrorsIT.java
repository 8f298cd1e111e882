package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that an export rejects, before the first byte of a response. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExportErrorsIT {
  private final ExportTestBed bed = new ExportTestBed();

  @AfterAll
  void close() {
    bed.close();
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
        " | {\"query\":{\"mathc\":{}}} | unknown query [mathc]",
        "format=arrow&lists=nowhere | {} | a column of lists, or a pattern of such names: ",
      })
  void rejectBeforeFirstByte(@Nullable String parameters, String search, String why) {
    assertThat(bed.refusal(ExportTestBed.FEW, parameters == null ? "" : parameters, search))
        .contains(why);
  }

  @Test
  void returnErrorsOfSearch() {
    String path = "/_weir/export";
    assertThat(bed.caller().search("/export-none" + path, "", Map.of()).status()).isEqualTo(404);
    Answer foreign =
        bed.caller()
            .search("/" + ExportTestBed.FEW + path + "?search_pipeline=none-such", "", Map.of());
    assertThat(foreign.status()).as(foreign.text()).isEqualTo(406);
    bed.caller()
        .send("PUT", "/_search/pipeline/export-piped", "{\"description\":\"none\"}", Map.of());
    String setting = "{\"index.search.default_pipeline\":\"export-piped\"}";
    bed.caller().send("PUT", "/export-piped", "{\"settings\":" + setting + "}", Map.of());
    String piped = "/export-piped" + path;
    assertThat(bed.caller().search(piped, "", Map.of()).status()).isEqualTo(406);
    String pits = "/export-piped/_search/point_in_time?keep_alive=1m";
    String pit = bed.caller().send("POST", pits, "", Map.of()).text();
    String own =
        "{\"pit\":{\"id\":\"" + pit.replaceAll("(?s).*pit_id\":\"([^\"]*)\".*", "$1") + "\"}}";
    assertThat(bed.caller().search(path, own, Map.of()).status()).isEqualTo(200);
    bed.caller().send("DELETE", "/_search/point_in_time/_all", "", Map.of());
  }

  @Test
  void passThroughWhenDisabled() {
    try (TestBed off =
            TestBed.withSections(
                SharedCluster.get().seeds(), "responses: {export: {enabled: false}}");
        BytesClient another = new BytesClient(off.uri())) {
      Answer answer = another.search("/" + ExportTestBed.FEW + "/_weir/export", "", Map.of());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("no handler found");
    }
  }
}
