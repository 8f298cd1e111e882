package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Different;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.NotComparable;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Same;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Similar;
import dev.weir.bluegreen.shadow.HitsComparator.Paging;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columnar responses in the gateway's format. */
final class ColumnarComparatorTest {
  private static final String HITS =
      """
      {"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
       "hits":{"total":{"value":3,"relation":"eq"},"max_score":1.0,"hits":[
        {"_index":"shop","_id":"1","_score":1.0,"_source":{"price":12.5}}]}}
      """;

  private static final String COLUMNS =
      """
      {"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
       "hits":{"total":{"value":3,"relation":"eq"},"max_score":null},"search_after":[230.0],
       "columns":[{"name":"_index","type":"keyword"},{"name":"_id","type":"keyword"},
        {"name":"price","type":"double"},{"name":"tags","type":"keyword"}],
       "values":[["shop","shop","shop"],["1","3","2"],[12.5,80,230],[["light","home"],null,"home"]]}
      """;

  private static final String TABLES =
      """
      {"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
       "hits":{"total":{"value":3,"relation":"eq"},"max_score":null},
       "aggregations":{
        "_root":{"columns":[{"name":"tag.sum_other_doc_count","type":"long"},
                            {"name":"all","type":"double"}],"values":[[0],[322.5]]},
        "tag":{"columns":[{"name":"tag","type":"keyword"},{"name":"doc_count","type":"long"},
                          {"name":"cheap","type":"double"},
                          {"name":"cheap.value_as_string","type":"keyword"}],
               "values":[["home","light"],[200,100],[1000.0,3.0],["1000.0","3.0"]]}}}
      """;

  private static ComparisonVerdict search(String primary, String shadow) {
    return new ResponseComparator(
            ReadKind.SEARCH,
            new ResponseComparator.Tolerances(0.01, 0.99),
            new Paging(false, false, false))
        .compare(seen(primary), seen(shadow))
        .toVerdict();
  }

  private static CapturedResponse seen(String body) {
    return new CapturedResponse(
        200, "application/json; charset=UTF-8", body.getBytes(StandardCharsets.UTF_8), 1);
  }

  private static Kind onlyKind(ComparisonVerdict verdict) {
    assertThat(verdict).isInstanceOf(Different.class);
    List<ComparisonVerdict.Difference> found = ((Different) verdict).differences();
    assertThat(found).hasSize(1);
    return found.getFirst().kind();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[12.5,80,230] | [12.5,81,230] | SOURCE",
        "[\"light\",\"home\"] | [\"home\",\"light\"] | SOURCE",
        "null,\"home\" | \"x\",\"home\" | SOURCE",
        "\"name\":\"tags\" | \"name\":\"labels\" | SOURCE",
        "\"value\":3 | \"value\":4 | TOTAL"
      })
  void columnsAreComparedRowByRow(String there, String elsewhere, Kind kind) {
    assertThat(COLUMNS).contains(there);
    assertThat(onlyKind(search(COLUMNS, COLUMNS.replace(there, elsewhere)))).isEqualTo(kind);
    assertThat(onlyKind(search(COLUMNS.replace(there, elsewhere), COLUMNS))).isEqualTo(kind);
  }

  @Test
  void matchEqualRowsWithColumnsInAnotherOrder() {
    String elsewhere =
        COLUMNS
            .replace("\"shop\",\"shop\",\"shop\"", "\"s2\",\"s2\",\"s2\"")
            .replace(
                "{\"name\":\"price\",\"type\":\"double\"},{\"name\":\"tags\",\"type\":\"keyword\"}",
                "{\"name\":\"tags\",\"type\":\"keyword\"},{\"name\":\"price\",\"type\":\"float\"}")
            .replace(
                "[12.5,80,230],[[\"light\",\"home\"],null,\"home\"]",
                "[[\"light\",\"home\"],null,\"home\"],[12.50,80.0,230]");
    assertThat(elsewhere).contains("12.50");
    assertThat(search(COLUMNS, elsewhere)).isEqualTo(new Same());
  }

  @Test
  void rowsInAnotherOrderSayNothing() {
    NotComparable format = new NotComparable(Reason.UNSUPPORTED_FORMAT);
    String tied =
        COLUMNS
            .replace("[\"1\",\"3\",\"2\"]", "[\"3\",\"1\",\"2\"]")
            .replace(
                "[12.5,80,230],[[\"light\",\"home\"],null",
                "[80,12.5,230],[null,[\"light\",\"home\"]");
    assertThat(tied).contains("[80,12.5,230]");
    assertThat(search(COLUMNS, tied)).isEqualTo(format);
    assertThat(onlyKind(search(COLUMNS, tied.replace("12.5", "13")))).isEqualTo(Kind.SOURCE);
    assertThat(search(COLUMNS, COLUMNS.replace("\"1\",\"3\"", "\"1\",\"4\""))).isEqualTo(format);
    String twice = COLUMNS.replace("\"1\",\"3\"", "\"1\",\"1\"");
    assertThat(search(twice, twice)).isEqualTo(new Same());
    assertThat(search(twice, twice.replace("80", "81"))).isEqualTo(format);
    String cut = COLUMNS.replace(",230]", "]");
    assertThat(search(COLUMNS, cut)).isEqualTo(format);
    assertThat(search(COLUMNS, HITS)).isInstanceOf(Different.class);
  }

  @Test
  void tablesOfBucketsAreComparedByTheirKeys() {
    assertThat(search(TABLES, TABLES.replace("[[0],", "[[7],"))).isEqualTo(new Same());
    assertThat(search(TABLES, TABLES.replace("1000.0", "1001.0"))).isEqualTo(new Similar());
    assertThat(onlyKind(search(TABLES, TABLES.replace("322.5", "400"))))
        .isEqualTo(Kind.AGGREGATIONS);
    assertThat(onlyKind(search(TABLES, TABLES.replace("200,100", "200,90"))))
        .isEqualTo(Kind.AGGREGATIONS);
    assertThat(onlyKind(search(TABLES, TABLES.replace("\"tag\":{", "\"other\":{"))))
        .isEqualTo(Kind.AGGREGATIONS);
    assertThat(search(TABLES, TABLES.replace("\"light\"", "\"dark\"")))
        .isEqualTo(new NotComparable(Reason.UNSUPPORTED_FORMAT));
  }
}
