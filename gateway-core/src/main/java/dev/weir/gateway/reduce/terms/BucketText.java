package dev.weir.gateway.reduce.terms;

import dev.weir.gateway.reduce.json.PlainJson;
import dev.weir.model.ReplyBody;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Buckets as JSON, with commas in between. Short ones are kept as they were written to learn how
 * long they are; of long ones no more than a piece is in memory at a time. Immutable.
 */
final class BucketText implements ReplyBody {
  private static final int PIECE = 32 << 10;
  private static final int LONGEST_KEPT = 1 << 20;

  private final Buckets buckets;
  private final long length;

  /** Writes buckets one by one. */
  interface Buckets {
    int count();

    void write(int bucket, PlainJson json);
  }

  private BucketText(Buckets buckets, long length) {
    this.buckets = buckets;
    this.length = length;
  }

  /** The text of all buckets. */
  static ReplyBody of(Buckets buckets) {
    Pieces pieces = new Pieces(buckets);
    List<ByteBuffer> kept = new ArrayList<>();
    long length = 0;
    for (PlainJson piece = pieces.next(); piece.length() > 0; piece = pieces.next()) {
      length += piece.length();
      if (length <= LONGEST_KEPT) {
        kept.add(ByteBuffer.wrap(piece.bytes(), 0, piece.length()));
        pieces.forget();
      } else {
        kept.clear();
      }
    }
    return length <= LONGEST_KEPT ? ReplyBody.of(kept) : new BucketText(buckets, length);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Reader reader() {
    Pieces pieces = new Pieces(buckets);
    return new Reader() {
      private PlainJson piece = pieces.next();
      private int read;

      @Override
      public void read(ByteBuffer into) {
        while (into.hasRemaining() && piece.length() > 0) {
          int count = Math.min(piece.length() - read, into.remaining());
          into.put(piece.bytes(), read, count);
          read += count;
          if (read == piece.length()) {
            piece = pieces.next();
            read = 0;
          }
        }
      }
    };
  }

  /** One piece after the other, in the same array unless that is kept. */
  private static final class Pieces {
    private final Buckets buckets;
    private PlainJson piece = new PlainJson(PIECE + PIECE / 8);
    private int next;

    Pieces(Buckets buckets) {
      this.buckets = buckets;
    }

    /** Empty at the end. */
    PlainJson next() {
      piece.cut(0);
      while (next < buckets.count() && piece.length() < PIECE) {
        if (next > 0) {
          piece.put(',');
        }
        buckets.write(next++, piece);
      }
      return piece;
    }

    /** The last piece belongs to somebody else now. */
    void forget() {
      piece = new PlainJson(PIECE + PIECE / 8);
    }
  }
}
