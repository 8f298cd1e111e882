package dev.weir.core.reduce;

import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.core.reduce.response.SearchTrimming;
import dev.weir.model.RequestContext;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;

/**
 * Who asked for a search, and how.
 *
 * @param context the client's request
 * @param listener hears the outcome
 * @param multiSearch searches again, for what stands behind collapsed hits
 * @param tookMillis how long the search has taken so far
 * @param pitKeepAlive when the search is to open a point in time instead: for how long at first;
 *     null to search
 * @param isInnerSearch whether it is one of several searches of the request, so that what it found
 *     is kept until the others have ended
 * @param trim what of the answer is left out
 * @param sample how the answer is to be estimated from some of the shards; null for not at all
 */
public record SearchSpec(
    RequestContext context,
    ActionListener<SearchResponse> listener,
    BiConsumer<MultiSearchRequest, ActionListener<MultiSearchResponse>> multiSearch,
    LongSupplier tookMillis,
    @Nullable TimeValue pitKeepAlive,
    boolean isInnerSearch,
    SearchTrimming trim,
    @Nullable SearchSampling sample) {

  /** Somebody who asked for one search, and for all of its answer. */
  public SearchSpec(
      RequestContext context,
      ActionListener<SearchResponse> listener,
      BiConsumer<MultiSearchRequest, ActionListener<MultiSearchResponse>> searches,
      LongSupplier tookMillis,
      @Nullable TimeValue pitKeepAlive) {
    this(context, listener, searches, tookMillis, pitKeepAlive, false, SearchTrimming.NONE, null);
  }

  /** The same, with something else left out of the answer. */
  public SearchSpec withTrim(SearchTrimming other) {
    return other.equals(trim)
        ? this
        : new SearchSpec(
            context, listener, multiSearch, tookMillis, pitKeepAlive, isInnerSearch, other, sample);
  }
}
