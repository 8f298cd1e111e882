package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of aggregations agree with the plain responses to the same searches. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ColumnarTablesIT {
  private static final String TYPES = "columnar-tables";

  private static final String AGGREGATIONS =
      """
      {"size":%d,"sort":[{"number":"asc"}],"aggs":{
        "by_keyword":{"terms":{"field":"keyword","order":{"_key":"asc"}},
          "aggs":{"per_day":{"date_histogram":{"field":"date","calendar_interval":"day","min_doc_count":1},
              "aggs":{"average":{"avg":{"field":"double"}},"all":{"stats":{"field":"long"}}}},
            "highest":{"max":{"field":"byte"}}}},
        "truths":{"terms":{"field":"boolean"}},
        "ranges":{"range":{"field":"double","ranges":[{"to":3},{"from":3}]}},
        "days":{"date_range":{"field":"date","ranges":[{"from":"2026-01-01"}]}},
        "named":{"filters":{"filters":{"a":{"term":{"keyword":"one"}},"b":{"match_all":{}}}}},
        "pairs":{"composite":{"size":3,"sources":[{"k":{"terms":{"field":"keyword"}}},{"n":{"terms":{"field":"number"}}}]}},
        "ones":{"filter":{"term":{"keyword":"one"}},"aggs":{"words":{"terms":{"field":"keyword"}},"sum":{"sum":{"field":"byte"}}}},
        "steps":{"histogram":{"field":"double","interval":5,"min_doc_count":1}},
        "several":{"multi_terms":{"terms":[{"field":"keyword"},{"field":"number"}],"order":{"_key":"asc"}}},
        "average":{"avg":{"field":"double"}},
        "count":{"value_count":{"field":"long"}},
        "different":{"cardinality":{"field":"keyword"}},
        "percents":{"percentiles":{"field":"number"}},
        "latest":{"max":{"field":"date"}},
        "top":{"top_hits":{"size":1,"sort":["number"],"_source":["number"]}}}}
      """;

  /** Rare aggregations as tables. */
  private static final String RARER =
      """
      {"size":0,"aggs":{
        "rare":{"rare_terms":{"field":"keyword","max_doc_count":9}},
        "numbers":{"terms":{"field":"number"}},
        "decimals":{"terms":{"field":"double"}},
        "dates":{"terms":{"field":"date"}},
        "formatted":{"terms":{"field":"number","format":"000"}},
        "addresses":{"terms":{"field":"ip"}},
        "significant":{"significant_terms":{"field":"keyword","min_doc_count":1}},
        "auto":{"auto_date_histogram":{"field":"date","buckets":3}},
        "widths":{"variable_width_histogram":{"field":"double","buckets":2}},
        "ips":{"ip_range":{"field":"ip","ranges":[{"to":"10.0.0.5"},{"from":"10.0.0.5"}]}},
        "near":{"geo_distance":{"field":"geo_point","origin":"52,4","ranges":[{"to":1000},{"from":1000}]}},
        "matrix":{"adjacency_matrix":{"filters":{"a":{"match_all":{}},"b":{"exists":{"field":"ip"}}}}},
        "pairs":{"composite":{"sources":[{"t":{"terms":{"field":"boolean"}}},
            {"d":{"date_histogram":{"field":"date","calendar_interval":"day"}}},
            {"f":{"date_histogram":{"field":"date","calendar_interval":"day","format":"yyyy-MM-dd"}}},
            {"h":{"histogram":{"field":"double","interval":5}}}]}},
        "nested":{"nested":{"path":"nested"},"aggs":{"a":{"terms":{"field":"nested.a"}}}},
        "extended":{"extended_stats":{"field":"number"}},
        "deviation":{"median_absolute_deviation":{"field":"double"}},
        "weighted":{"weighted_avg":{"value":{"field":"double"},"weight":{"field":"number"}}},
        "ranks":{"percentile_ranks":{"field":"number","values":[1,5.5]}},
        "listed":{"percentiles":{"field":"number","keyed":false,"percents":[50]}},
        "shown":{"sum":{"field":"number","format":"0.00"}},
        "middle":{"geo_centroid":{"field":"geo_point"}},
        "days":{"date_histogram":{"field":"date","calendar_interval":"day"},"aggs":{
            "sum":{"sum":{"field":"number"}},
            "so_far":{"cumulative_sum":{"buckets_path":"sum"}},
            "change":{"derivative":{"buckets_path":"sum"}}}},
        "most":{"max_bucket":{"buckets_path":"days>sum"}},
        "average":{"avg_bucket":{"buckets_path":"days>sum"}},
        "told":{"stats_bucket":{"buckets_path":"days>sum"}}}}
      """;

  private final TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
  private final BytesClient caller = new BytesClient(bed.uri());

  private record Search(String path, String body) {}

  @BeforeAll
  void load() throws IOException {
    TypedDocumentIndices.load(bed.rest(), TYPES, "mapping.json", "documents.ndjson");
  }

  @AfterAll
  void close() {
    bed.rest().send("DELETE", "/" + TYPES);
    caller.close();
    bed.close();
  }

  private static Search all(int size) {
    return new Search("/" + TYPES + "/_search", AGGREGATIONS.formatted(size));
  }

  private Answer search(Search search, String parameters) {
    Answer answer = caller.search(search.path + parameters, search.body, Map.of());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 50})
  void tablesAreThoseOfThePlainAggregations(int size) {
    Search search = all(size);
    Map<String, Object> plain = ExpectedRows.json(search(search, "").text());
    Map<String, Object> columnar = ExpectedRows.json(search(search, "?columnar=true").text());

    Map<String, List<Map<String, Object>>> expected = ExpectedTables.expected(plain);
    Map<String, Object> tables = ExpectedRows.map(columnar.get("aggregations"));
    assertThat(tables).containsOnlyKeys(expected.keySet());
    expected.forEach((path, rows) ->
        assertThat(ExpectedRows.decodeColumns(ExpectedRows.map(tables.get(path))))
            .as(path)
            .isEqualTo(rows));
    assertThat(columnar.containsKey("columns")).isEqualTo(size > 0);
  }

  @Test
  void tablesHaveTheSameColumnsWhereNothingIsFound() throws IOException {
    Search all = all(0);
    Search none = nothing(all);
    Map<String, Map<String, String>> full = columns(all);
    Map<String, Map<String, String>> empty = columns(none);

    // lists of different values are flattened to their values
    assertThat(full.get("several")).containsEntry("several", "mixed");
    assertThat(empty.get("several")).containsEntry("several", "null");
    Objects.requireNonNull(empty.get("several")).put("several", "mixed");
    assertThat(empty).isEqualTo(full);
    assertThat(names(empty)).isEqualTo(names(full));
    assertThat(columns(new Search("/columnar-nowhere*/_search", all.body)).keySet())
        .isEqualTo(full.keySet());

    String path = "&columnar_table=by_keyword%3Eper_day";
    String csv = search(none, "?columnar=csv" + path).text();
    assertThat(search(all, "?columnar=csv" + path).text()).startsWith(csv);
    assertThat(ArrowRows.read(search(none, "?columnar=arrow" + path).bytes()).fields())
        .isEqualTo(ArrowRows.read(search(all, "?columnar=arrow" + path).bytes()).fields());
  }

  @Test
  void rarerTablesHaveThemTooWhereNothingIsFound() {
    Search all = new Search("/" + TYPES + "/_search", RARER);
    Map<String, Map<String, String>> full = columns(all);
    Map<String, Map<String, String>> empty = columns(nothing(all));

    assertThat(empty).isEqualTo(full);
    assertThat(names(empty)).isEqualTo(names(full));
  }

  private static Search nothing(Search search) {
    return new Search(
        search.path, search.body.replaceFirst("\\{", "{\"query\":{\"match_none\":{}},"));
  }

  /** The columns of each table, with their types. */
  private Map<String, Map<String, String>> columns(Search search) {
    Map<String, Map<String, String>> columns = new LinkedHashMap<>();
    ExpectedRows.map(ExpectedRows.json(search(search, "?columnar=true").text()).get("aggregations"))
        .forEach((path, table) -> columns.put(path, ExpectedRows.types(ExpectedRows.map(table))));
    return columns;
  }

  private static List<String> names(Map<String, Map<String, String>> columns) {
    List<String> names = new ArrayList<>();
    columns.forEach((path, own) -> own.keySet().forEach(name -> names.add(path + ": " + name)));
    return names;
  }

  @Test
  void selectOneTableForCsvAndArrow() throws IOException {
    Search search = all(0);
    Map<String, Object> tables =
        ExpectedRows.map(
            ExpectedRows.json(search(search, "?columnar=true").text()).get("aggregations"));
    String path = "by_keyword>per_day";
    List<Map<String, Object>> rows = ExpectedRows.decodeColumns(ExpectedRows.map(tables.get(path)));

    Answer csv = search(search, "?columnar=csv&columnar_table=by_keyword%3Eper_day");
    List<List<@Nullable String>> lines = CsvReader.read(csv.text());
    ArrowRows arrow =
        ArrowRows.read(
            search(search, "?columnar=arrow&columnar_table=by_keyword%3Eper_day").bytes());

    assertThat(rows).isNotEmpty();
    assertThat(lines).hasSize(rows.size() + 1);
    assertThat(arrow.rows()).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      for (int c = 0; c < arrow.fields().size(); c++) {
        Field field = arrow.fields().get(c);
        Object value = rows.get(i).get(field.getName());
        assertThat(ColumnValueMatcher.matchesArrow(value, arrow.rows().get(i).get(c), field))
            .as("%s", field)
            .isTrue();
        assertThat(ColumnValueMatcher.matchesCsv(value, lines.get(i + 1).get(c)))
            .as("%s", field)
            .isTrue();
      }
    }
    Answer none = caller.search(search.path + "?columnar=csv", search.body, Map.of());
    assertThat(none.status()).isEqualTo(400);
    assertThat(none.text()).contains("columnar_table").contains(path);
  }
}
