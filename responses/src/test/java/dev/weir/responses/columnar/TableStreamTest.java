package dev.weir.responses.columnar;

import static dev.weir.responses.columnar.ColumnarFixture.OUTPUTS;
import static dev.weir.responses.columnar.ColumnarFixture.hit;
import static dev.weir.responses.columnar.ColumnarFixture.hits;
import static dev.weir.responses.columnar.ColumnarFixture.open;
import static dev.weir.responses.columnar.ColumnarFixture.page;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.responses.columnar.TableStreamFactory.StreamFormat;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.common.document.DocumentField;
import org.opensearch.search.SearchHit;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The streams of exports: lines, and CSV with columns that are known before the first row. */
final class TableStreamTest {
  private static final String SHOP =
      "{\"tag\":{\"type\":\"keyword\"},\"n\":{\"type\":\"long\"},"
          + "\"at\":{\"type\":\"date\"},\"o\":{\"properties\":{\"x\":{\"type\":\"float\"}}}}";

  private static TableStream csv() {
    return open(StreamFormat.CSV, new SearchSourceBuilder(), Map.of("shop", SHOP));
  }

  private static TableStream lines() {
    return open(StreamFormat.NDJSON, new SearchSourceBuilder(), Map.of("shop", SHOP));
  }

  private static TableStream lists(String... names) {
    return new TableStreamFactory(ColumnarFixture.cluster(Map.of("shop", SHOP)))
        .open(StreamFormat.ARROW, new SearchSourceBuilder(), List.of("shop"), List.of(names));
  }

  @Test
  void rejectListsThatNoColumnHas() {
    assertThat(lists("tag", "o.x", "later*")).isNotNull();
    assertThatThrownBy(() -> lists("tag", "tags"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("got [tags] for [lists]", "tag", "n", "at", "o.x")
        .hasMessageNotContaining("_id");
    assertThat(
            new TableStreamFactory(ColumnarFixture.cluster(Map.of()))
                .open(StreamFormat.ARROW, new SearchSourceBuilder(), List.of(), List.of("unknown")))
        .isNotNull();
  }

  @Test
  void namesMappedColumnsBeforeTheFirstRow() throws IOException {
    TableStream csv = csv();
    assertThat(csv.contentType()).isEqualTo("text/csv; charset=UTF-8; header=present");
    assertThat(csv.writeHeader(OUTPUTS).utf8ToString())
        .startsWith("_index,_id,")
        .contains("tag", "n", "at", "o.x")
        .endsWith(",_rest\r\n");
    assertThat(csv.writeEnd().length()).isZero();
    assertThat(csv.writeError("{\"error\":1}").length()).isZero();
  }

  @Test
  void putsUnmappedMembersIntoTheLastColumn() throws IOException {
    TableStream csv = csv();
    String header = csv.writeHeader(OUTPUTS).utf8ToString();
    String rows =
        page(
            csv,
            hits(
                hit("shop", "1", "{\"n\":1,\"new\":{\"a\":[1]},\"o\":{\"x\":2.5,\"y\":null}}"),
                hit("shop", "2", "{\"n\":2}"),
                hit("other", "3", "{\"n\":3,\"z\":\"q\"}")),
            Map.of("cursor", "ignored"));

    List<String> names = List.of(header.strip().split(",", -1));
    List<String> found = List.of(rows.split("\r\n"));
    assertThat(found).hasSize(3);
    assertThat(found.get(0))
        .startsWith("shop,1,")
        .contains(",2.5")
        .endsWith(",\"{\"\"new\"\":{\"\"a\"\":[1]}}\"");
    assertThat(found.get(1)).startsWith("shop,2,").endsWith(",");
    assertThat(found.get(1).split(",", -1)).hasSameSizeAs(names);
    assertThat(found.get(2)).startsWith("other,3,").endsWith(",\"{\"\"z\"\":\"\"q\"\"}\"");
  }

  @Test
  void writesOnlyAsManyHitsAsThePageHas() throws IOException {
    ResponseHits two = hits(hit("shop", "1", "{}"), hit("shop", "2", "{}"));
    assertThat(ColumnarFixture.text(csv().writePage(two, 1, Map.of(), OUTPUTS)).lines().count())
        .isOne();
    assertThat(ColumnarFixture.text(lines().writePage(two, 0, Map.of(), OUTPUTS))).isEmpty();
  }

  @Test
  void aNameOfAFieldStaysOutOfTheLastColumnsWay() throws IOException {
    TableStream csv =
        open(
            StreamFormat.CSV,
            new SearchSourceBuilder(),
            Map.of("odd", "{\"_rest\":{\"type\":\"keyword\"},\"a\":{\"type\":\"keyword\"}}"));
    assertThat(csv.writeHeader(OUTPUTS).utf8ToString()).containsOnlyOnce("_rest");
    assertThat(page(csv, hits(hit("odd", "1", "{\"_rest\":\"v\"}")), Map.of()))
        .endsWith(",\"{\"\"_rest\"\":\"\"v\"\"}\"\r\n");
  }

  @Test
  void writesALineAHitAndOneForTheCursor() throws IOException {
    TableStream lines = lines();
    assertThat(lines.contentType()).isEqualTo("application/x-ndjson; charset=UTF-8");
    assertThat(lines.writeHeader(OUTPUTS).length()).isZero();
    assertThat(
            page(
                lines,
                hits(hit("shop", "1", "{\"a\":\"é\"}"), hit("shop", "q\"", "")),
                Map.of("cursor", "abc")))
        .isEqualTo(
            """
            {"_index":"shop","_id":"1","_source":{"a":"é"}}
            {"_index":"shop","_id":"q\\""}
            {"cursor":"abc"}
            """);
    assertThat(lines.writeEnd().length()).isZero();
    assertThat(lines.writeError("{\"error\":1}").utf8ToString()).isEqualTo("{\"error\":1}\n");
  }

  @Test
  void writesEverythingThatAHitHas() throws IOException {
    SearchHit hit = hit("shop", "1", "");
    hit.version(7);
    hit.setSeqNo(3);
    hit.setPrimaryTerm(2);
    hit.score(1.5f);
    hit.setDocumentField("f", new DocumentField("f", List.of(1, "two")));
    hit.matchedQueries(new String[] {"m"});
    assertThat(page(lines(), hits(hit), Map.of()))
        .isEqualTo(
            "{\"_index\":\"shop\",\"_id\":\"1\",\"_version\":7,\"_seq_no\":3,\"_primary_term\":2,"
                + "\"_score\":1.5,\"fields\":{\"f\":[1,\"two\"]},\"matched_queries\":[\"m\"]}\n");
  }

  @Test
  void writesTheScoresOfNamedQueries() throws IOException {
    SearchSourceBuilder search = new SearchSourceBuilder().includeNamedQueriesScores(true);
    SearchHit hit = hit("shop", "1", "");
    hit.matchedQueriesWithScores(Map.of("m", 1.5f));
    Map<String, String> shop = Map.of("shop", SHOP);
    assertThat(page(open(StreamFormat.NDJSON, search, shop), hits(hit), Map.of()))
        .isEqualTo("{\"_index\":\"shop\",\"_id\":\"1\",\"matched_queries\":{\"m\":1.5}}\n");
    assertThat(page(open(StreamFormat.CSV, search, shop), hits(hit), Map.of()))
        .startsWith("shop,1,")
        .endsWith(",\"{\"\"_matched_queries\"\":{\"\"m\"\":1.5}}\"\r\n");
  }

  @Test
  void keepsDocumentsInOneLine() throws IOException {
    String spread = "{\n  \"a\" : [ 1,\r\n 2 ],\n  \"s\" : \"x\\ny\"\n}";
    assertThat(page(lines(), hits(hit("shop", "1", spread)), Map.of()))
        .isEqualTo(
            "{\"_index\":\"shop\",\"_id\":\"1\",\"_source\":{\"a\":[1,2],\"s\":\"x\\ny\"}}\n");
  }

  @Test
  void writesHitsInPlaceAsItWritesObjects() throws IOException {
    SearchHit[] hits = {
      hit("shop", "1", "{\"a\":1}"),
      hit("shop", "2", ""),
      hit("other", "3", "{\"a\":\n2}"),
      hit("other", "4", "{}")
    };
    hits[0].score(0f);
    hits[1].score(-0f);
    hits[2].score(1e-9f);
    assertThat(page(lines(), new ResponseHits.InPlaceHits(new HitsInArrays(hits)), Map.of()))
        .isEqualTo(page(lines(), hits(hits), Map.of()))
        .contains("\"_score\":0.0", "\"_score\":-0.0", "\"_score\":1.0E-9");
  }
}
