package dev.weir.core.reduce;

import dev.weir.core.reduce.columns.ColumnFetch;
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
 * The inputs of one search: its client request and what the response should contain.
 *
 * @param context the client's request
 * @param listener gets the response or the failure
 * @param multiSearch runs the searches for the inner hits of collapsed hits
 * @param tookMillis how long the search has taken so far
 * @param pitKeepAlive for how long to open a point in time, in which case nothing is searched; null
 *     to search
 * @param isInnerSearch whether it is one of several searches of the request, so that its results
 *     stay in memory until the others have ended
 * @param trim what the response leaves out
 * @param sample how to estimate the response from a part of the shards; null to query all of them
 * @param columns how nodes return columns in place of hits; null if the response is of hits
 */
public record SearchSpec(
    RequestContext context,
    ActionListener<SearchResponse> listener,
    BiConsumer<MultiSearchRequest, ActionListener<MultiSearchResponse>> multiSearch,
    LongSupplier tookMillis,
    @Nullable TimeValue pitKeepAlive,
    boolean isInnerSearch,
    SearchTrimming trim,
    @Nullable SearchSampling sample,
    @Nullable ColumnFetch columns) {

  /** A single search with a complete response. */
  public SearchSpec(
      RequestContext context,
      ActionListener<SearchResponse> listener,
      BiConsumer<MultiSearchRequest, ActionListener<MultiSearchResponse>> searches,
      LongSupplier tookMillis,
      @Nullable TimeValue pitKeepAlive) {
    this(
        context,
        listener,
        searches,
        tookMillis,
        pitKeepAlive,
        false,
        SearchTrimming.NONE,
        null,
        null);
  }

  /** Returns a copy with other trimming. */
  public SearchSpec withTrim(SearchTrimming other) {
    return other.equals(trim)
        ? this
        : new SearchSpec(
            context,
            listener,
            multiSearch,
            tookMillis,
            pitKeepAlive,
            isInnerSearch,
            other,
            sample,
            columns);
  }
}
