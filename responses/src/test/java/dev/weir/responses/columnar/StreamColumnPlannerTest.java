package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;

class StreamColumnPlannerTest {
  private final Columns columns = new Columns();
  private final HitRowReader reader =
      new HitRowReader(columns, RequestedColumns.NONE, new MappedFieldsCache(HitRowsTest.NOTHING));

  private static MappedFields mapped(String... fields) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (String field : fields) {
      properties.put(field, Map.of("type", "keyword"));
    }
    return MappedFields.from(new MappingMetadata("_doc", Map.of("properties", properties)));
  }

  private String line(String document) throws IOException {
    SearchHit hit = new SearchHit(0, "1", Map.of(), Map.of());
    hit.shard(new SearchShardTarget("n1", new ShardId("docs", "uuid", 0), null, null));
    hit.score(1);
    hit.sourceRef(new BytesArray(document));
    CsvTableStream csv = new CsvTableStream(reader, columns);
    return csv.writePage(
            new ResponseHits.HitObjects(new SearchHit[] {hit}),
            1,
            Map.of(),
            expected -> new BytesStreamOutput(expected))
        .getFirst()
        .utf8ToString()
        .strip();
  }

  @Test
  void putOtherFieldsIntoTheLastColumn() throws IOException {
    StreamColumnPlanner.addColumns(
        columns, RequestedColumns.NONE, new SearchSourceBuilder(), Set.of(mapped("a", "b")));

    assertThat(columns.all().stream().map(Column::name))
        .containsExactly("_index", "_id", "_score", "a", "b", "_rest");
    assertThat(line("{\"b\":\"x\",\"c\":[1,2]}")).isEqualTo("docs,1,1.0,,x,\"{\"\"c\"\":[1,2]}\"");
  }

  @Test
  void addOnlyFieldsThatTheSearchSelects() {
    SearchSourceBuilder search =
        new SearchSourceBuilder().fetchSource(new String[] {"c", "a*", "b.x"}, new String[] {"*d"});
    StreamColumnPlanner.addColumns(
        columns,
        RequestedColumns.from(search),
        search,
        Set.of(mapped("aa", "ab", "ad", "b", "c", "d", "e")));

    assertThat(columns.all().stream().map(Column::name))
        .containsExactly("_index", "_id", "_score", "c", "b.x", "aa", "ab", "b", "_rest");
  }

  @Test
  void rejectTooManyPatternsForTheMappedFields() {
    String[] patterns =
        IntStream.range(0, 100_000).mapToObj(i -> "p" + i + "*").toArray(String[]::new);
    SearchSourceBuilder search = new SearchSourceBuilder().fetchSource(patterns, null);
    Set<MappedFields> many =
        Set.of(mapped(IntStream.range(0, 1000).mapToObj(i -> "f" + i).toArray(String[]::new)));

    assertThatThrownBy(
            () -> StreamColumnPlanner.addColumns(columns, RequestedColumns.NONE, search, many))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got too many names of fields with [*]");
  }

  @Test
  void rejectTooManyPatternsOfAllListsTogether() {
    String[] patterns =
        IntStream.range(0, 6000).mapToObj(i -> "p" + i + "*").toArray(String[]::new);
    SearchSourceBuilder one = new SearchSourceBuilder().fetchSource(patterns, null);
    SearchSourceBuilder two = new SearchSourceBuilder().fetchSource(patterns, null);
    for (String pattern : patterns) {
      two.fetchField(pattern);
    }
    Set<MappedFields> many =
        Set.of(mapped(IntStream.range(0, 1000).mapToObj(i -> "f" + i).toArray(String[]::new)));

    StreamColumnPlanner.addColumns(new Columns(), RequestedColumns.NONE, one, many);
    assertThatThrownBy(
            () -> StreamColumnPlanner.addColumns(columns, RequestedColumns.NONE, two, many))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got too many names of fields with [*]");
  }

  @Test
  void putAFieldNamedLikeTheLastColumnIntoIt() throws IOException {
    StreamColumnPlanner.addColumns(
        columns, RequestedColumns.NONE, new SearchSourceBuilder(), Set.of(mapped("_rest", "a")));

    assertThat(columns.all().stream().map(Column::name))
        .containsExactly("_index", "_id", "_score", "a", "_rest");
    assertThat(line("{\"_rest\":\"mine\",\"a\":\"x\"}"))
        .isEqualTo("docs,1,1.0,x,\"{\"\"_rest\"\":\"\"mine\"\"}\"");
  }
}
