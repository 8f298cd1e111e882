package dev.weir.node.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.query.QuerySearchResult;

/**
 * The result of a query that is not written yet, because it may be reduced. Confined to the thread
 * that reduces it.
 *
 * @param shardIndex the shard's place in the results of the search
 * @param estimatedBytes about how many bytes it takes with all hits
 * @param aggregationBytes how many of these its aggregations take
 * @param hitOrder the order of its hits; null if all stay
 * @param writtenAggregations the bytes of its aggregations, which a merge changes; null if they are
 *     not merged
 */
record UnwrittenQuery(
    int shardIndex,
    QuerySearchResult result,
    long estimatedBytes,
    long aggregationBytes,
    @Nullable Comparator<ScoreDoc> hitOrder,
    @Nullable BytesReference writtenAggregations) {
  /** Bytes that aggregations take as objects, for one byte on the wire. */
  private static final int OBJECT_RATIO = 8;

  /**
   * Returns about how many bytes of heap its aggregations take while they wait: as objects, and as
   * bytes if they may be merged.
   */
  long heldBytes() {
    return aggregationBytes * (OBJECT_RATIO + (writtenAggregations == null ? 0 : 1));
  }

  /** Returns its hits. */
  TopDocs hits() {
    return result.topDocs().topDocs;
  }

  /** Keeps only the first hits; without hits, forgets what only a fetch needs. */
  void keep(int first) {
    TopDocsAndMaxScore all = result.topDocs();
    ScoreDoc[] kept = Arrays.copyOf(all.topDocs.scoreDocs, first);
    TopDocs docs =
        all.topDocs instanceof TopFieldDocs sorted
            ? new TopFieldDocs(sorted.totalHits, kept, sorted.fields)
            : new TopDocs(all.topDocs.totalHits, kept);
    result.topDocs(new TopDocsAndMaxScore(docs, all.maxScore), result.sortValueFormats());
    if (first == 0) {
      result.setShardSearchRequest(null);
    }
  }

  /** Returns its aggregations; null if it has none. */
  @Nullable InternalAggregations aggregations() {
    DelayableWriteable<InternalAggregations> own = result.aggregations();
    return own == null ? null : own.expand();
  }

  /** Reads its aggregations again after a merge that failed. */
  void restoreAggregations(NamedWriteableRegistry writeables) {
    BytesReference written = writtenAggregations;
    if (written == null) {
      return;
    }
    try (StreamInput in = new NamedWriteableAwareStreamInput(written.streamInput(), writeables)) {
      setAggregations(InternalAggregations.readFrom(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory that this node has written
    }
  }

  /** Replaces its aggregations. */
  void setAggregations(InternalAggregations merged) {
    result.consumeAggs();
    result.aggregations(merged);
  }
}
