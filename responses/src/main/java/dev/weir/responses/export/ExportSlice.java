package dev.weir.responses.export;

import dev.weir.responses.columnar.ResponseHits;
import org.jspecify.annotations.Nullable;

/**
 * A part of an export that is read page by page: one shard, a range of a shard's document numbers,
 * or, if the client wants an order, everything. Used by one thread.
 */
final class ExportSlice {
  /** The shard number of a slice that covers all shards. */
  static final int ALL_SHARDS = -1;

  /** The end of a slice without an upper bound. */
  static final long UNBOUNDED = -1;

  private final int shard;
  private final long end;
  private Object @Nullable [] after;
  private boolean isDone;

  /**
   * The progress of a slice.
   *
   * @param shard the shard's index in the point in time, or {@link #ALL_SHARDS}
   * @param searchAfter the sort values of the last sent row; null at the start
   * @param end the first document number after the slice, or {@link #UNBOUNDED}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Position(int shard, Object @Nullable [] searchAfter, long end) {}

  ExportSlice(Position from) {
    this.shard = from.shard;
    this.after = from.searchAfter;
    this.end = from.end;
  }

  /** Creates a slice of a range of a shard's document numbers. */
  static ExportSlice ofRange(int shard, long first, long end) {
    return new ExportSlice(new Position(shard, first == 0 ? null : new Object[] {first - 1}, end));
  }

  int shard() {
    return shard;
  }

  Position position() {
    return new Position(shard, after, end);
  }

  boolean isDone() {
    return isDone;
  }

  /** Returns an upper bound of the remaining rows; a huge number if unknown. */
  long maxRemainingRows() {
    return end == UNBOUNDED ? Long.MAX_VALUE : end - 1 - (after == null ? -1 : docOf(after));
  }

  /** Returns the number of hits that belong to this slice; further hits belong to the next one. */
  int countOwn(ResponseHits hits) {
    int count = hits.count();
    while (end != UNBOUNDED && count > 0 && docOf(hits.sortValues(count - 1)) >= end) {
      count--;
    }
    return count;
  }

  /**
   * Advances the slice after a page.
   *
   * @param sent the number of hits that were sent
   * @param last the slice has no further rows
   */
  void onPageSent(ResponseHits hits, int sent, boolean last) {
    if (sent > 0) {
      after = hits.sortValues(sent - 1);
    }
    isDone = last || (end != UNBOUNDED && after != null && docOf(after) >= end - 1);
  }

  /** Returns to the position before a page that could not be sent. */
  void rewind(Position to) {
    after = to.searchAfter;
    isDone = false;
  }

  private static long docOf(Object[] sort) {
    return ((Number) sort[0]).longValue();
  }
}
