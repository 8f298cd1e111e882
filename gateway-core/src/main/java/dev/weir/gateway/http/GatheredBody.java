package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request, decoded and gathered in one array. Owned by its exchange, which calls
 * {@link #free} or {@link #abandon} once.
 */
final class GatheredBody implements BodySink {

  /** Who waits for the body. */
  interface Reader {

    /** The body is complete. */
    void onBody();

    /** It is longer than a request may be. */
    void onTooLong();

    /** There is no room for it among the other bodies. */
    void onNoRoom(long wanted);

    /** It is not what its content-encoding says. */
    void onCorrupt(DecompressionException failure);
  }

  private static final byte[] NOTHING = {};

  /** A client's announcement is believed up to this size; what is longer must arrive first. */
  private static final int BELIEVED = 1 << 20;

  private static final int FIRST = 4 << 10;

  private final Reader reader;
  private final BodyBudget budget;
  private final int max;
  private final long announced;
  private @Nullable Decompressor decoder;
  private byte[] array = NOTHING;
  private int length;
  private long charged;
  private boolean failed;

  /**
   * Starts gathering.
   *
   * @param max most bytes it may have, decoded
   * @param announced its length as the client announced it; negative when unknown
   * @param decoder for its content-encoding; null for none
   */
  GatheredBody(
      Reader reader, BodyBudget budget, int max, long announced, @Nullable Decompressor decoder) {
    this.reader = reader;
    this.budget = budget;
    this.max = (int) Math.min(max, budget.limit()); // more will never have room
    this.announced = decoder == null ? announced : -1;
    this.decoder = decoder;
  }

  @Override
  public void content(ByteBuf piece) {
    if (failed) {
      return;
    }
    if (decoder == null) {
      append(piece);
    } else {
      decode(decoder, piece);
    }
  }

  private void decode(Decompressor through, ByteBuf piece) {
    try {
      if (through.status() == Decompressor.Status.NEED_INPUT) {
        through.addInput(piece.retain());
      }
      while (!failed && through.status() == Decompressor.Status.NEED_OUTPUT) {
        ByteBuf output = through.takeOutput();
        try {
          append(output);
        } finally {
          output.release();
        }
      }
    } catch (DecompressionException e) {
      failed = true;
      reader.onCorrupt(e);
    }
  }

  private void append(ByteBuf piece) {
    int size = piece.readableBytes();
    if ((size > array.length - length || size > max - length) && !grow(size)) {
      return;
    }
    piece.readBytes(array, length, size);
    length += size;
  }

  private boolean grow(int more) {
    long needed = (long) length + more;
    if (needed > max) {
      failed = true;
      reader.onTooLong();
      return false;
    }
    long wanted =
        length == 0
            ? Math.max(needed, announced < 0 ? FIRST : Math.min(announced, BELIEVED))
            : Math.max(needed, 2L * array.length);
    if (announced >= needed) {
      wanted = Math.min(wanted, announced);
    }
    return move((int) Math.min(wanted, max));
  }

  /** Moves to a larger array; while both are there, both are paid for. */
  private boolean move(int size) {
    int rounded = ByteArrays.lengthFor(size);
    if (!budget.tryCharge(rounded)) {
      failed = true;
      reader.onNoRoom(rounded);
      return false;
    }
    byte[] larger = ByteArrays.current().take(size);
    System.arraycopy(array, 0, larger, 0, length);
    ByteArrays.current().give(array);
    array = larger;
    budget.release(charged);
    charged = rounded;
    return true;
  }

  @Override
  public void end() {
    closeDecoder();
    if (!failed) {
      reader.onBody();
    }
  }

  /** The body; shares the array. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(array, 0, length).slice();
  }

  int length() {
    return length;
  }

  /** Nobody reads the body any more: its array is used again. */
  void free() {
    ByteArrays.current().give(array);
    abandon();
  }

  /** Somebody may still read the body: its array is left to the garbage collector. */
  void abandon() {
    closeDecoder();
    failed = true;
    array = NOTHING;
    length = 0;
    budget.release(charged);
    charged = 0;
  }

  private void closeDecoder() {
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
  }
}
