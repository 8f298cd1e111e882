package dev.weir.core.reduce;

import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.reduce.query.SampledReduction;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.core.reduce.response.SplicedSearchResponse;
import dev.weir.core.reduce.round.SearchRoundContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.action.ShardOperationFailedException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.search.SearchPhaseResult;

/** Responds to the caller of a search, with the errors that a node's coordinator uses. */
final class SearchResponder {
  private final SearchSpec spec;
  private final SearchRoundContext parts;
  private final ShardFailures failures;
  private final Map<String, Long> phaseMillis = new HashMap<>();
  private boolean isCompleted;

  SearchResponder(SearchSpec spec, SearchRoundContext parts, ShardFailures failures) {
    this.spec = spec;
    this.parts = parts;
    this.failures = failures;
  }

  void recordPhaseTime(String phase, long nanos) {
    phaseMillis.put(phase, TimeUnit.NANOSECONDS.toMillis(nanos));
  }

  /**
   * Sends the response.
   *
   * @param results the results of the first round if search contexts outlive the search
   * @param sampling how the response was estimated; null without sampling
   */
  void succeed(
      SplicedSearchResponse.MergedResponse merged,
      @Nullable AtomicArray<SearchPhaseResult> results,
      ShardCounts counts,
      @Nullable SampledReduction sampling) {
    String cancelled = spec.context().cancelReason();
    if (isCompleted || cancelled != null) {
      fail(new TaskCancelledException(String.valueOf(cancelled)));
      return;
    }
    isCompleted = true;
    SearchRequest request = parts.scope().request();
    SearchResponse response =
        new SplicedSearchResponse(
            merged,
            request.scroll() == null || results == null
                ? null
                : SearchInternals.buildScrollId(
                    results, request.indices(), parts.scope().state().nodes().getMinNodeVersion()),
            counts,
            spec.tookMillis().getAsLong(),
            Boolean.TRUE.equals(request.isPhaseTook())
                ? new SearchResponse.PhaseTook(phaseMillis)
                : null,
            new SplicedSearchResponse.Completion(
                failures,
                pitId(results),
                spec.trim(),
                sampling == null ? null : sampling.describe()));
    if (sampling != null) {
      sampling.recordSearch();
    }
    spec.trim().recordSearch(spec.context(), merged.hitCount());
    parts.frames().releaseOnEnd(spec.context());
    spec.listener().onResponse(response);
  }

  /** Fails the search in this phase and reports the failures of its shards. */
  void fail(String phase, String message, @Nullable Throwable cause, ShardFailures shards) {
    fail(new SearchPhaseExecutionException(phase, message, cause, shards.toArray()));
  }

  /** Fails the search because no shard answered in this phase. */
  void failAllShards(String phase, ShardFailures shards) {
    ShardSearchFailure[] all = shards.toArray();
    ShardOperationFailedException[] grouped = ExceptionsHelper.groupBy(all);
    Throwable cause =
        grouped.length == 0 ? null : OpenSearchException.guessRootCauses(grouped[0].getCause())[0];
    fail(new SearchPhaseExecutionException(phase, "all shards failed", cause, all));
  }

  void rejectUnassigned(String phase, List<Integer> ordinals) {
    String missing =
        ordinals.stream()
            .map(ordinal -> parts.scope().shards().get(ordinal).id().toString())
            .collect(Collectors.joining(", "));
    SearchPhaseExecutionException rejected =
        new SearchPhaseExecutionException(
            phase,
            "Search rejected due to missing shards ["
                + missing
                + "]. Consider using `allow_partial_search_results` setting to bypass this error.",
            null,
            ShardSearchFailure.EMPTY_ARRAY);
    fail(new SearchPhaseExecutionException(phase, "", rejected, ShardSearchFailure.EMPTY_ARRAY));
  }

  private void fail(Exception failure) {
    parts.frames().release();
    if (!isCompleted) {
      isCompleted = true;
      spec.listener().onFailure(failure);
    }
  }

  /**
   * Fails the search before its rounds have ended. Uses the error of a node whose reduction fails;
   * later results are ignored.
   */
  void failFast(Exception cause) {
    if (!isCompleted) {
      isCompleted = true;
      spec.listener()
          .onFailure(
              new SearchPhaseExecutionException(
                  "fetch", "", cause, ShardSearchFailure.EMPTY_ARRAY));
    }
  }

  private @Nullable String pitId(@Nullable AtomicArray<SearchPhaseResult> results) {
    if (spec.pitKeepAlive() != null) {
      return results == null
          ? null
          : SearchContextId.encode(
              results.asList(),
              parts.scope().filters().aliasFilters(),
              parts.scope().state().nodes().getMinNodeVersion());
    }
    SearchRequest request = parts.scope().request();
    return request.pointInTimeBuilder() == null ? null : request.pointInTimeBuilder().getId();
  }
}
