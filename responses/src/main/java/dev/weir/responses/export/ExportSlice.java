package dev.weir.responses.export;

import dev.weir.responses.columnar.ResponseHits;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are read one page after the other: those of a shard, or a part of one by the numbers of
 * its documents, or, in an order that the client asks for, all of them. Used by one thread.
 */
final class ExportSlice {
  /** The shard of a slice that has all rows. */
  static final int ALL_SHARDS = -1;

  /** The end of a slice that has none. */
  static final long UNBOUNDED = -1;

  private final int shard;
  private final long end;
  private Object @Nullable [] after;
  private boolean isDone;

  /**
   * How far a slice was told.
   *
   * @param shard its place among the shards of the point in time, or {@link #ALL_SHARDS}
   * @param searchAfter what the last row was sorted by; null at the beginning
   * @param end the number of the first document that is another slice's, or {@link #UNBOUNDED}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Position(int shard, Object @Nullable [] searchAfter, long end) {}

  ExportSlice(Position from) {
    this.shard = from.shard;
    this.after = from.searchAfter;
    this.end = from.end;
  }

  /** A part of a shard. */
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

  /** How many rows there can be left at the most; many where that is not known. */
  long maxRemainingRows() {
    return end == UNBOUNDED ? Long.MAX_VALUE : end - 1 - (after == null ? -1 : docOf(after));
  }

  /** How many of a page's hits are its own; the others are the next slice's. */
  int countOwn(ResponseHits hits) {
    int count = hits.count();
    while (end != UNBOUNDED && count > 0 && docOf(hits.sortValues(count - 1)) >= end) {
      count--;
    }
    return count;
  }

  /**
   * A page was told.
   *
   * @param told how many of its hits
   * @param last whether the slice has no more
   */
  void onPageSent(ResponseHits hits, int told, boolean last) {
    if (told > 0) {
      after = hits.sortValues(told - 1);
    }
    isDone = last || (end != UNBOUNDED && after != null && docOf(after) >= end - 1);
  }

  /** Is again as it was before a page that could not be told. */
  void rewind(Position to) {
    after = to.searchAfter;
    isDone = false;
  }

  private static long docOf(Object[] sort) {
    return ((Number) sort[0]).longValue();
  }
}
