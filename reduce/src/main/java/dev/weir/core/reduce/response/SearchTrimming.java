package dev.weir.core.reduce.response;

import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.model.RequestContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.ToXContent.Params;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.SearchHit;

/**
 * What the response of one search leaves out. {@link SplicedSearchResponse} asks it while it
 * writes; the module {@code responses} implements it. Confined to the thread that writes the
 * response.
 */
public interface SearchTrimming {
  /** Leaves nothing out. */
  SearchTrimming NONE = new CompleteResponse();

  /**
   * Whether the response is written in full; then the other {@code should} methods are not called.
   */
  boolean shouldWriteAll();

  /** Whether {@code _shards} is written when every shard succeeded. */
  boolean shouldWriteShards();

  /**
   * Whether {@code max_score} is written.
   *
   * @param isNull whether its value is null
   */
  boolean shouldWriteMaxScore(boolean isNull);

  /**
   * Writes the elements of {@code hits.hits} that remain.
   *
   * @param plain the hits in their plain form; null when OpenSearch's objects have to be written
   * @param hits the hits as objects; not filled in when {@code plain} is not null
   */
  void writeHits(
      @Nullable PlainHits plain, SearchHit[] hits, XContentBuilder builder, Params params)
      throws IOException;

  /** Counts bytes of compact JSON that were left out outside of {@link #writeHits}. */
  void addSavedBytes(long bytes);

  /** Whether the search does without the fetch phase. */
  boolean shouldSkipFetch();

  /** Counts a search that found hits and did without the fetch phase. */
  void recordSkippedFetch();

  /** Counts a search that succeeded, and adds the response headers that list what is left out. */
  void recordSearch(RequestContext context, int hits);
}
