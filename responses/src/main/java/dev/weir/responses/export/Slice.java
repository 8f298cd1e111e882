package dev.weir.responses.export;

import dev.weir.responses.columnar.FoundHits;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are read one page after the other: those of a shard, or a part of one by the numbers of
 * its documents, or, in an order that the client asks for, all of them. Used by one thread.
 */
final class Slice {
  /** The shard of a slice that has all rows. */
  static final int ALL = -1;

  /** The end of a slice that has none. */
  static final long OPEN = -1;

  private final int shard;
  private final long end;
  private Object @Nullable [] after;
  private boolean done;

  /**
   * How far a slice was told.
   *
   * @param shard its place among the shards of the point in time, or {@link #ALL}
   * @param after what the last row was sorted by; null at the beginning
   * @param end the number of the first document that is another slice's, or {@link #OPEN}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Position(int shard, Object @Nullable [] after, long end) {}

  Slice(Position from) {
    this.shard = from.shard;
    this.after = from.after;
    this.end = from.end;
  }

  /** A part of a shard. */
  static Slice part(int shard, long first, long end) {
    return new Slice(new Position(shard, first == 0 ? null : new Object[] {first - 1}, end));
  }

  int shard() {
    return shard;
  }

  Position position() {
    return new Position(shard, after, end);
  }

  boolean done() {
    return done;
  }

  /** How many rows there can be left at the most; many where that is not known. */
  long most() {
    return end == OPEN ? Long.MAX_VALUE : end - 1 - (after == null ? -1 : document(after));
  }

  /** How many of a page's hits are its own; the others are the next slice's. */
  int own(FoundHits hits) {
    int count = hits.count();
    while (end != OPEN && count > 0 && document(hits.sortValues(count - 1)) >= end) {
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
  void told(FoundHits hits, int told, boolean last) {
    if (told > 0) {
      after = hits.sortValues(told - 1);
    }
    done = last || (end != OPEN && after != null && document(after) >= end - 1);
  }

  /** Is again as it was before a page that could not be told. */
  void back(Position to) {
    after = to.after;
    done = false;
  }

  private static long document(Object[] sort) {
    return ((Number) sort[0]).longValue();
  }
}
