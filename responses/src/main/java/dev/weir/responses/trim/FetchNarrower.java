package dev.weir.responses.trim;

import dev.weir.model.ResponseOptions.HitParts;
import dev.weir.responses.columnar.InnerHitsDetector;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.StoredFieldsContext;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Requests less of each hit from nodes, if this changes only the unread parts: neither the errors
 * of a node nor what other requests see.
 */
final class FetchNarrower {
  private FetchNarrower() {}

  /** Returns true if the fetch phase of this search may change at all. */
  static boolean isPossible(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    return source != null
        && source.size() != 0 // no hits; and a changed request would miss the nodes' request cache
        && request.scroll() == null // later requests read the same scroll
        && !source.profile() // the profile shows the fetch phase
        && source.suggest() == null // completions are fetched like hits
        && (source.ext() == null || source.ext().isEmpty());
  }

  /**
   * Makes nodes fetch only what is read, plus whatever keeps the response unchanged.
   *
   * @return the parts of hits that nodes now fetch
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
    if (!Boolean.TRUE.equals(source.version())) { // nodes read a version only with stored fields
      source.storedFields(StoredFieldsContext.fromList(List.of(StoredFieldsContext._NONE_)));
    }
    return read;
  }

  /** Returns true if nodes fetch documents whole or not at all, which never fails. */
  private static boolean hasPlainSource(SearchSourceBuilder source) {
    FetchSourceContext fetched = source.fetchSource();
    return (fetched == null || (fetched.includes().length == 0 && fetched.excludes().length == 0))
        && (source.storedFields() == null || source.storedFields().fetchFields());
  }

  /** Returns true if the fetch phase computes nothing that may fail or that needs stored fields. */
  private static boolean hasPlainFetch(SearchSourceBuilder source) {
    return source.storedFields() == null
        && isEmpty(source.scriptFields())
        && isEmpty(source.docValueFields())
        && isEmpty(source.fetchFields())
        && source.highlighter() == null
        && !Boolean.TRUE.equals(source.explain())
        && source.collapse() == null
        && !mayHaveInnerHits(source);
  }

  private static boolean isEmpty(@Nullable Iterable<?> some) {
    return some == null || !some.iterator().hasNext();
  }

  private static boolean mayHaveInnerHits(SearchSourceBuilder source) {
    try {
      return InnerHitsDetector.hasInnerHits(source);
    } catch (IllegalArgumentException twoOfOneName) {
      return true;
    }
  }
}
