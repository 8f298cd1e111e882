package dev.weir.core.actions.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Which searches are of the same kind. */
class SearchShapeTest {
  private static SearchSourceBuilder terms(String field, String value, int size) {
    return new SearchSourceBuilder()
        .size(size)
        .query(QueryBuilders.termQuery("user", value))
        .aggregation(AggregationBuilders.terms("top").field(field));
  }

  @Test
  void valuesMakeNoDifference() throws IOException {
    assertThat(SearchShape.of(terms("city", "anna", 10)))
        .isEqualTo(SearchShape.of(terms("city", "berta", 0)));
  }

  @Test
  void fieldsAndStructureDo() throws IOException {
    long shape = SearchShape.of(terms("city", "anna", 0));
    assertThat(SearchShape.of(terms("country", "anna", 0))).isNotEqualTo(shape);
    assertThat(SearchShape.of(terms("city", "anna", 0).query(QueryBuilders.termQuery("age", "1"))))
        .isNotEqualTo(shape);
    assertThat(SearchShape.of(terms("city", "anna", 0).sort("age"))).isNotEqualTo(shape);
    assertThat(
            SearchShape.of(
                terms("city", "anna", 0)
                    .aggregation(AggregationBuilders.terms("more").field("city"))))
        .isNotEqualTo(shape);
  }
}
