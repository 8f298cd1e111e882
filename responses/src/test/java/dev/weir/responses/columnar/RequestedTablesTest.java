package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Columns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

class RequestedTablesTest {
  private static MappedFields mapped(Map<String, String> types) {
    Map<String, Object> properties = new HashMap<>();
    types.forEach((field, type) -> properties.put(field, Map.of("type", type)));
    try {
      return MappedFields.from(
          new MappingMetadata("_doc", Map.of("_doc", Map.of("properties", properties))));
    } catch (RuntimeException e) {
      throw new AssertionError(e);
    }
  }

  private static final MappedFields SHOP =
      mapped(
          Map.of("tag", "keyword", "sold", "date", "there", "boolean", "n", "long", "p", "float"));

  private static RequestedTables tables(
      Supplier<List<MappedFields>> searched, boolean sampled, AggregationBuilder... asked) {
    AggregatorFactories.Builder all = new AggregatorFactories.Builder();
    for (AggregationBuilder one : asked) {
      all.addAggregator(one);
    }
    return RequestedTables.from(all, new KeyTypeResolver(searched), sampled);
  }

  private static RequestedTables tables(AggregationBuilder... asked) {
    return tables(() -> List.of(SHOP), false, asked);
  }

  /** Names and types. */
  private static List<String> columns(RequestedTables tables, String path) {
    Columns columns = new Columns();
    tables.declare(path, columns);
    return columns.all().stream().map(column -> column.name() + ":" + column.type()).toList();
  }

  private static TermsAggregationBuilder terms(String name, String field) {
    return AggregationBuilders.terms(name).field(field);
  }

  @Test
  void bucketsInBucketsAreTablesInTablesInTheOrderOfTheRequest() {
    RequestedTables tables =
        tables(
            terms("tag", "tag")
                .subAggregation(AggregationBuilders.max("highest").field("n"))
                .subAggregation(
                    AggregationBuilders.dateHistogram("day")
                        .field("sold")
                        .calendarInterval(DateHistogramInterval.DAY)
                        .subAggregation(AggregationBuilders.cardinality("c").field("n")))
                .subAggregation(AggregationBuilders.stats("s").field("p")),
            AggregationBuilders.sum("all").field("n"));
    assertThat(tables.paths()).containsExactly("_root", "tag", "tag>day");
    assertThat(columns(tables, "_root"))
        .containsExactly(
            "tag.doc_count_error_upper_bound:long", "tag.sum_other_doc_count:long", "all:double");
    assertThat(columns(tables, "tag"))
        .containsExactly(
            "tag:keyword",
            "doc_count:long",
            "highest:double",
            "s.count:long",
            "s.min:double",
            "s.max:double",
            "s.avg:double",
            "s.sum:double");
    assertThat(columns(tables, "tag>day"))
        .containsExactly(
            "tag:keyword", "day:date", "day.key_as_string:keyword", "doc_count:long", "c:long");
  }

  @Test
  void aggregationsOfOneBucketAreColumns() {
    RequestedTables tables =
        tables(
            AggregationBuilders.global("every")
                .subAggregation(AggregationBuilders.avg("a").field("p"))
                .subAggregation(terms("tags", "tag")));
    assertThat(tables.paths()).containsExactly("_root", "every>tags");
    assertThat(columns(tables, "_root"))
        .containsExactly(
            "every.doc_count:long",
            "every>a:double",
            "every>tags.doc_count_error_upper_bound:long",
            "every>tags.sum_other_doc_count:long");
    assertThat(columns(tables, "every>tags"))
        .containsExactly("every>tags:keyword", "doc_count:long");
  }

  @Test
  void keysAreOfTheTypesThatNodesMakeOfFields() {
    assertThat(columns(tables(terms("k", "n")), "k")).startsWith("k:long", "doc_count:long");
    assertThat(columns(tables(terms("k", "p")), "k")).startsWith("k:double", "doc_count:long");
    assertThat(columns(tables(terms("k", "there")), "k"))
        .startsWith("k:long", "k.key_as_string:keyword");
    assertThat(columns(tables(terms("k", "sold")), "k"))
        .startsWith("k:long", "k.key_as_string:keyword");
    assertThat(columns(tables(terms("k", "n").format("000")), "k"))
        .startsWith("k:long", "k.key_as_string:keyword");
    assertThat(columns(tables(terms("k", "nowhere")), "k")).startsWith("k:null");
  }

  @Test
  void severalIndicesAreLookedAtTogether() {
    Supplier<List<MappedFields>> numbers =
        () -> List.of(mapped(Map.of("k", "integer")), mapped(Map.of("k", "double")));
    assertThat(columns(tables(numbers, false, terms("k", "k")), "k")).startsWith("k:double");
    Supplier<List<MappedFields>> some =
        () -> List.of(mapped(Map.of("k", "integer")), mapped(Map.of("k", "keyword")), SHOP);
    assertThat(columns(tables(some, false, terms("k", "k")), "k")).startsWith("k:null");
  }

  @Test
  void mappingsAreLookedUpOnlyWhereTheyMatter() {
    Supplier<List<MappedFields>> never =
        () -> {
          throw new AssertionError("looked up");
        };
    assertThat(
            columns(tables(never, false, AggregationBuilders.cardinality("c").field("n")), "_root"))
        .containsExactly("c:long");
  }

  @Test
  void datesAreShownAsText() {
    assertThat(columns(tables(AggregationBuilders.max("latest").field("sold")), "_root"))
        .containsExactly("latest:double", "latest.value_as_string:keyword");
  }

  @Test
  void sampledFiguresHaveBounds() {
    RequestedTables tables =
        tables(
            () -> List.of(SHOP),
            true,
            terms("tag", "tag").subAggregation(AggregationBuilders.avg("a").field("n")));
    assertThat(columns(tables, "tag"))
        .containsExactly(
            "tag:keyword",
            "doc_count:long",
            "doc_count_bounds.lower:long",
            "doc_count_bounds.upper:long",
            "a:double",
            "a.bounds.lower:double",
            "a.bounds.upper:double");
  }

  @Test
  void recognizePipelineAggregations() {
    SearchSourceBuilder source =
        new SearchSourceBuilder()
            .aggregation(
                AggregationBuilders.histogram("h")
                    .field("n")
                    .interval(1)
                    .subAggregation(PipelineAggregatorBuilders.cumulativeSum("so_far", "_count")))
            .aggregation(PipelineAggregatorBuilders.maxBucket("most", "h>_count"));
    RequestedTables tables =
        RequestedTables.from(
            source.aggregations(), new KeyTypeResolver(() -> List.of(SHOP)), false);
    assertThat(columns(tables, "_root")).containsExactly("most:double", "most.keys:keyword");
    assertThat(columns(tables, "h")).containsExactly("h:double", "doc_count:long", "so_far:double");
  }
}
