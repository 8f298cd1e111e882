package dev.weir.responses.columnar;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.index.query.InnerHitContextBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Detects inner hits in a search request: they need whole hits, and rows cannot contain them. */
public final class InnerHitsDetector {
  private InnerHitsDetector() {}

  /**
   * Returns true if a search requests inner hits.
   *
   * @throws IllegalArgumentException if two inner hits have the same name
   */
  public static boolean hasInnerHits(SearchSourceBuilder source) {
    Map<String, InnerHitContextBuilder> found = new HashMap<>();
    for (QueryBuilder query : new QueryBuilder[] {source.query(), source.postFilter()}) {
      if (query != null) {
        InnerHitContextBuilder.extractInnerHits(query, found);
      }
    }
    return !found.isEmpty();
  }
}
