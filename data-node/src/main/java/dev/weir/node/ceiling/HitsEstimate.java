package dev.weir.node.ceiling;

import org.apache.lucene.search.SortField;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.rescore.RescoreContext;
import org.opensearch.search.sort.SortAndFormats;

/**
 * What the queue of a shard's top documents takes, before it is created: one entry for each
 * document that may be returned, with the values that it is sorted by.
 */
final class HitsEstimate {
  /**
   * Heap bytes of a document without sort values: a {@code FieldValueHitQueue.Entry} (32) or {@code
   * ScoreDoc} (24), its place in the queue and in the result (8), and its {@code FieldDoc} (24).
   * Object sizes of a 64-bit JVM with compressed references.
   */
  static final long BYTES_PER_HIT = 64;

  /**
   * Heap bytes of one sort value: 8 in the comparator, 24 boxed in the result, and its references.
   */
  static final long BYTES_PER_NUMBER = 40;

  /**
   * Heap bytes of one sort value that is text: what a number takes, and a {@code BytesRef} (24)
   * with its array, taken to be of 64 bytes.
   */
  static final long BYTES_PER_TEXT = 128;

  private HitsEstimate() {}

  /**
   * Returns the heap bytes of the queue. Follows {@code
   * TopDocsCollectorContext.createTopDocsCollectorContext}, which knows how many documents the
   * queue can hold.
   *
   * @param slices how many queues are filled at once by concurrent segment search; at least 1
   */
  static long bytes(SearchContext context, int slices) {
    if (context.size() <= 0) {
      return 0;
    }
    long wanted =
        context.scrollContext() == null ? (long) context.from() + context.size() : context.size();
    for (RescoreContext rescore : context.rescore()) {
      wanted = Math.max(wanted, rescore.getWindowSize());
    }
    long hits = Math.min(wanted, Math.max(1, context.searcher().getIndexReader().numDocs()));
    return hits * slices * bytesPerHit(context.sort());
  }

  private static long bytesPerHit(SortAndFormats sort) {
    long bytes = BYTES_PER_HIT;
    if (sort != null) {
      for (SortField field : sort.sort.getSort()) {
        bytes +=
            switch (field.getType()) {
              case STRING, STRING_VAL, CUSTOM -> BYTES_PER_TEXT;
              default -> BYTES_PER_NUMBER;
            };
      }
    }
    return bytes;
  }
}
