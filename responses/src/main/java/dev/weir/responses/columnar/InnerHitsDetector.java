package dev.weir.responses.columnar;

import java.util.HashMap;
import java.util.Map;
import org.opensearch.index.query.InnerHitContextBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Hits within hits, which rows have no place for. */
public final class InnerHitsDetector {
  private InnerHitsDetector() {}

  /**
   * Whether a search asks for them.
   *
   * @throws IllegalArgumentException when two have one name
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
