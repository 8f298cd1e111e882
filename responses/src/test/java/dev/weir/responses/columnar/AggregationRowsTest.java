package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.RowSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.filter.InternalFilter;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;

/** Tables of aggregations as CSV: which one, its columns, and a row for each bucket. */
final class AggregationRowsTest {
  private static final DocValueFormat RAW = DocValueFormat.RAW;
  private static final BucketCountThresholds THRESHOLDS = new BucketCountThresholds(1, 0, 10, 10);
  private static final BucketOrder ORDER = BucketOrder.key(true);

  private static RequestedTables tables(AggregationBuilder... requested) {
    AggregatorFactories.Builder all = new AggregatorFactories.Builder();
    for (AggregationBuilder one : requested) {
      all.addAggregator(one);
    }
    return RequestedTables.from(all, new KeyTypeResolver(List::of), false);
  }

  private static RequestedTables nothingRequested() {
    return tables();
  }

  private static StringTerms strings(
      String name, Map<String, ? extends List<InternalAggregation>> members) {
    List<StringTerms.Bucket> buckets =
        members.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each ->
                new StringTerms.Bucket(
                    new BytesRef(each.getKey()),
                    3,
                    InternalAggregations.from(List.copyOf(each.getValue())),
                    false,
                    0,
                    RAW))
            .toList();
    return new StringTerms(name, ORDER, ORDER, null, RAW, 10, false, 5, buckets, 2, THRESHOLDS);
  }

  private static LongTerms longs(String name, DocValueFormat format, long... keys) {
    List<LongTerms.Bucket> buckets =
        Arrays.stream(keys)
            .mapToObj(
                key -> new LongTerms.Bucket(key, 1, InternalAggregations.EMPTY, false, 0, format))
            .toList();
    return new LongTerms(name, ORDER, ORDER, null, format, 10, false, 0, buckets, 0, THRESHOLDS);
  }

  private static String csv(
      RequestedTables requested, @Nullable String table, InternalAggregation... all)
      throws IOException {
    return CsvRowWriter.write(
            AggregationRows.select(requested, InternalAggregations.from(List.of(all)), table),
            new BytesStreamOutput())
        .utf8ToString();
  }

  @Test
  void metricsWithoutBucketsAreOneRow() throws IOException {
    assertThat(
            csv(
                nothingRequested(),
                null,
                new InternalMax("highest", 7.5, RAW, null),
                new InternalStats("s", 2, 3, 1, 2, RAW, Map.of("note", "x"))))
        .isEqualTo("highest,s.count,s.min,s.max,s.avg,s.sum\r\n7.5,2,1.0,2.0,1.5,3.0\r\n");
  }

  @Test
  void metricsKeepNumbersThatJsonLacks() throws IOException {
    InternalMax metric = new InternalMax("m", Double.NaN, RAW, null);
    assertThat(csv(nothingRequested(), null, metric)).isEqualTo("m\r\nNaN\r\n");
    List<@Nullable NumberKind> kinds = new ArrayList<>();
    AggregationRows.select(nothingRequested(), InternalAggregations.from(List.of(metric)), null)
        .forEachRow(row -> {
          kinds.add(row.numberKind(0));
          assertThat(Double.longBitsToDouble(row.number(0))).isNaN();
        });
    assertThat(kinds).containsExactly(NumberKind.NON_FINITE);
  }

  @Test
  void columnsOfNumbersStayNumbersWithThoseThatJsonLacks() throws IOException {
    StringTerms terms =
        strings(
            "tag",
            Map.of(
                "a", List.of(new InternalMax("m", Double.NaN, RAW, null)),
                "b", List.of(new InternalMax("m", 7.5, RAW, null))));
    RowSource rows =
        AggregationRows.select(nothingRequested(), InternalAggregations.from(List.of(terms)), null);
    rows.forEachRow(_ -> {});
    assertThat(rows.columns().getOrCreate("m").type()).isEqualTo(ColumnTypes.DOUBLE);
    assertThat(csv(nothingRequested(), null, terms))
        .isEqualTo("tag,doc_count,m\r\na,3,NaN\r\nb,3,7.5\r\n");
  }

  @Test
  void metricsWithoutAValueAreEmptyCells() throws IOException {
    assertThat(
            csv(
                nothingRequested(),
                null,
                new InternalMax("highest", Double.NEGATIVE_INFINITY, RAW, null),
                new InternalSum("sum", 0, RAW, null)))
        .isEqualTo("highest,sum\r\n,0.0\r\n");
  }

  @Test
  void bucketsInBucketsHaveTheKeysOfBoth() throws IOException {
    StringTerms terms =
        strings(
            "tag",
            Map.of(
                "a,b", List.of(longs("n", RAW, 1, Long.MAX_VALUE)),
                "é", List.of(longs("n", RAW, -5))));
    assertThat(csv(nothingRequested(), "tag>n", terms))
        .isEqualTo("tag,n,doc_count\r\n\"a,b\",1,1\r\n\"a,b\",9223372036854775807,1\r\né,-5,1\r\n");
    assertThat(csv(nothingRequested(), "tag", terms))
        .isEqualTo(
            "tag,doc_count,n.doc_count_error_upper_bound,n.sum_other_doc_count\r\n"
                + "\"a,b\",3,0,0\r\né,3,0,0\r\n");
  }

  @Test
  void theInnermostTableIsTheDefault() throws IOException {
    StringTerms terms = strings("tag", Map.of("a", List.of(longs("n", RAW, 1))));
    assertThat(csv(nothingRequested(), null, terms))
        .isEqualTo(csv(nothingRequested(), "tag>n", terms));
  }

  @Test
  void severalTablesNeedAName() {
    assertThatThrownBy(
            () -> csv(nothingRequested(), null, longs("one", RAW, 1), longs("two", RAW, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got several tables and no [")
        .hasMessageContaining("_root, one, two");
    assertThatThrownBy(() -> csv(nothingRequested(), "three", longs("one", RAW, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got [three] for [");
  }

  @Test
  void keysInAFormatHaveTheirTextToo() throws IOException {
    assertThat(csv(nothingRequested(), null, longs("n", new DocValueFormat.Decimal("000"), 7)))
        .isEqualTo("n,n.key_as_string,doc_count\r\n7,007,1\r\n");
  }

  @Test
  void singleBucketsAreColumnsOfTheTableAroundThem() throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString("some");
      out.writeGenericValue(null); // metadata
      out.writeVLong(4);
      out.writeVInt(0); // aggregations within it
      InternalFilter filter = new InternalFilter(out.bytes().streamInput());
      assertThat(csv(nothingRequested(), null, filter)).isEqualTo("some.doc_count\r\n4\r\n");
    }
  }

  @Test
  void requestedTablesExistWithoutBuckets() throws IOException {
    RequestedTables requested =
        tables(
            AggregationBuilders.terms("tag")
                .field("tag")
                .subAggregation(AggregationBuilders.avg("a").field("n")));
    assertThat(csv(requested, "tag", strings("tag", Map.of()))).isEqualTo("tag,doc_count,a\r\n");
    assertThat(csv(requested, "tag>unknown", strings("tag", Map.of())))
        .as("within an empty table nobody knows")
        .isEqualTo("\r\n");
    assertThat(
            CsvRowWriter.write(
                    AggregationRows.select(requested, null, "tag"), new BytesStreamOutput())
                .utf8ToString())
        .isEqualTo("tag,doc_count,a\r\n");
  }

  @Test
  void namesThatLookLikeKeysStayApart() throws IOException {
    StringTerms terms =
        strings("doc_count", Map.of("a", List.of(new InternalMax("doc_count", 9, RAW, null))));
    String csv = csv(nothingRequested(), null, terms);
    String header = csv.lines().findFirst().orElseThrow();
    assertThat(header.split(",")).doesNotHaveDuplicates().hasSize(3);
    assertThat(csv).contains("9.0");
  }
}
