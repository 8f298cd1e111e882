package dev.weir.core.reduce.buckets;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The buckets of a finished aggregation as JSON, in the order of the response. Immutable. */
final class RenderedBuckets {
  private final JsonPages pages;
  private final int[] ends;
  private final int @Nullable [] order;
  private final int count;
  private final boolean isKeyed;

  /**
   * Creates the buckets.
   *
   * @param pages the buckets one after the other, each with one byte before it
   * @param ends where each bucket ends
   * @param order the buckets of the response by number; null for all of them as they come
   * @param keyed whether the buckets are an object's fields
   */
  RenderedBuckets(JsonPages pages, int[] ends, int count, int @Nullable [] order, boolean keyed) {
    this.pages = pages;
    this.ends = ends;
    this.order = order;
    this.count = order == null ? count : order.length;
    this.isKeyed = keyed;
  }

  /** Opens the JSON array or object of the buckets. */
  InputStream open() {
    return new BucketsStream();
  }

  /** Reads brackets, buckets and the commas between them. */
  private final class BucketsStream extends InputStream {
    private int next;
    private int at;
    private int end;
    private boolean isStarted;
    private boolean isEnded;

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int most) {
      int done = 0;
      while (done < most && !isEnded) {
        if (at < end) {
          int part = pages.copy(at, into, offset + done, Math.min(most - done, end - at));
          at += part;
          done += part;
        } else {
          into[offset + done++] = nextMark();
        }
      }
      return done == 0 && most > 0 ? -1 : done;
    }

    /** Returns the byte before the next bucket, or after the last one. */
    private byte nextMark() {
      if (!isStarted) {
        isStarted = true;
        nextBucket();
        return (byte) (isKeyed ? '{' : '[');
      }
      if (next < count) {
        nextBucket();
        return ',';
      }
      isEnded = true;
      return (byte) (isKeyed ? '}' : ']');
    }

    private void nextBucket() {
      if (next == count) {
        return;
      }
      int bucket = order == null ? next : order[next];
      next++;
      at = (bucket == 0 ? 0 : ends[bucket - 1]) + 1;
      end = ends[bucket];
    }
  }
}
