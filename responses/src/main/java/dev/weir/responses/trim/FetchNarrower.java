package dev.weir.responses.trim;

import dev.weir.model.ResponseOptions.HitParts;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.InnerHitContextBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.StoredFieldsContext;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Asks nodes for less of hits, where that changes nothing but what is not read: neither an error
 * that a node would tell, nor what other requests find.
 */
final class FetchNarrower {
  private FetchNarrower() {}

  /** Whether what is asked of hits may be changed at all. */
  static boolean isPossible(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    return source != null
        && source.size() != 0 // there are none; and the nodes' request cache knows it as it is
        && request.scroll() == null // which other requests go on with
        && !source.profile() // tells what was fetched
        && source.suggest() == null // completions are fetched as hits are
        && (source.ext() == null || source.ext().isEmpty());
  }

  /**
   * Has nodes fetch what is read, and as much more as keeps the answer the same.
   *
   * @return how much of hits is asked for now
   */
  static HitParts narrow(SearchRequest request, HitParts read) {
    SearchSourceBuilder source = request.source();
    if (read == HitParts.ALL || !isPossible(request) || !hasPlainSource(source)) {
      return HitParts.ALL;
    }
    source.fetchSource(FetchSourceContext.DO_NOT_FETCH_SOURCE);
    if (read == HitParts.NO_SOURCE || !hasPlainFetch(source)) {
      return HitParts.NO_SOURCE;
    }
    if (!Boolean.TRUE.equals(source.version())) { // which nodes refuse to read without the rest
      source.storedFields(StoredFieldsContext.fromList(List.of(StoredFieldsContext._NONE_)));
    }
    return read;
  }

  /** Documents are fetched as they are, or not at all: no node refuses that. */
  private static boolean hasPlainSource(SearchSourceBuilder source) {
    FetchSourceContext fetched = source.fetchSource();
    return (fetched == null || (fetched.includes().length == 0 && fetched.excludes().length == 0))
        && (source.storedFields() == null || source.storedFields().fetchFields());
  }

  /** Nothing is worked out while hits are fetched, which could fail or needs stored fields. */
  private static boolean hasPlainFetch(SearchSourceBuilder source) {
    return source.storedFields() == null
        && isEmpty(source.scriptFields())
        && isEmpty(source.docValueFields())
        && isEmpty(source.fetchFields())
        && source.highlighter() == null
        && !Boolean.TRUE.equals(source.explain())
        && source.collapse() == null
        && !hasInnerHits(source.query())
        && !hasInnerHits(source.postFilter());
  }

  private static boolean isEmpty(@Nullable Iterable<?> some) {
    return some == null || !some.iterator().hasNext();
  }

  private static boolean hasInnerHits(@Nullable QueryBuilder query) {
    if (query == null) {
      return false;
    }
    HashMap<String, InnerHitContextBuilder> found = new HashMap<>();
    try {
      InnerHitContextBuilder.extractInnerHits(query, found);
    } catch (IllegalArgumentException twoOfOneName) {
      return true;
    }
    return !found.isEmpty();
  }
}
