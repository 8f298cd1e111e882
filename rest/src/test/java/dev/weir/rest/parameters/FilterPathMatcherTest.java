package dev.weir.rest.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ResponseOptions.HitParts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FilterPathMatcherTest {
  private static HitParts read(@Nullable String filterPath) {
    return FilterPathMatcher.hitParts(filterPath, List.of());
  }

  @Test
  void readEverythingWithoutAFilter() {
    for (String path : new String[] {null, "", ",", "**", "*", "hits", "hits.*", "-took"}) {
      assertThat(read(path)).as(path).isEqualTo(HitParts.ALL);
    }
  }

  @Test
  void readEverythingForFiltersWithinDocuments() {
    for (String path :
        List.of(
            "hits.hits._source.a",
            "hits.hits._s*",
            "**.a",
            "*.*.*.a",
            "-hits.hits._source.a",
            "hits.hits._source,-hits.hits._source.a")) {
      assertThat(read(path)).as(path).isEqualTo(HitParts.ALL);
    }
  }

  @Test
  void documentsAreNotReadWhereTheirPathEnds() {
    for (String path :
        List.of("hits.hits._id", "-hits.hits._source", "-**._source", "hits.*.fields", "**._id")) {
      assertThat(read(path)).as(path).isIn(HitParts.NO_SOURCE, HitParts.ALL);
    }
    assertThat(read("hits.hits._id,hits.total")).isEqualTo(HitParts.NO_SOURCE);
    assertThat(read("hits.hits.inner_hits")).isEqualTo(HitParts.NO_SOURCE);
    assertThat(read("hits.hits._score,hits.hits.sort")).isEqualTo(HitParts.NO_STORED_FIELDS);
    assertThat(read("-hits.hits._*,-hits.hits.fields,-hits.hits.inner_hits"))
        .isEqualTo(HitParts.NO_STORED_FIELDS);
  }

  @Test
  void hitsAreNotReadWhereNoPathLeadsToThem() {
    for (String path :
        List.of(
            "took", "hits.total,_shards", "-hits", "-hits.hits", "hits,-hits.hits", "hits.t*")) {
      assertThat(read(path)).as(path).isEqualTo(HitParts.NONE);
    }
  }

  @Test
  void looksBelowTheAnswersOfSeveralSearches() {
    List<String> above = List.of("responses");
    assertThat(FilterPathMatcher.hitParts("responses.hits.total", above)).isEqualTo(HitParts.NONE);
    assertThat(FilterPathMatcher.hitParts("hits.hits", above)).isEqualTo(HitParts.NONE);
    assertThat(FilterPathMatcher.hitParts("responses.*.hits._id", above))
        .isEqualTo(HitParts.NO_SOURCE);
    assertThat(FilterPathMatcher.hitParts("responses", above)).isEqualTo(HitParts.ALL);
    assertThat(FilterPathMatcher.hitParts("-hits.hits", above)).isEqualTo(HitParts.ALL);
  }
}
