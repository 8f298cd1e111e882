package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
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

    /**
     * It is longer than may be gathered.
     *
     * @param rest of the piece that did not fit, decoded; borrowed
     */
    void onTooLong(ByteBuf rest);

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
  private final @Nullable KeptOriginal original;
  private @Nullable Decompressor decoder;
  private byte[] array = NOTHING;
  private int length;
  private long charged;
  private boolean failed;

  /**
   * Starts gathering.
   *
   * @param max most bytes that are gathered, decoded
   * @param announced its length as the client announced it; negative when unknown
   * @param decoder for its content-encoding; null for none
   * @param original keeps what is decoded; null when nobody will ask for it
   */
  GatheredBody(
      Reader reader,
      BodyBudget budget,
      int max,
      long announced,
      @Nullable Decompressor decoder,
      @Nullable KeptOriginal original) {
    this.reader = reader;
    this.budget = budget;
    this.max = (int) Math.min(max, budget.limit()); // more will never have room
    this.announced = decoder == null ? announced : -1;
    this.decoder = decoder;
    this.original = original;
  }

  @Override
  public void content(ByteBuf piece) {
    if (failed) {
      return;
    }
    if (decoder == null) {
      append(piece);
    } else {
      if (original != null) {
        original.add(piece);
      }
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
    if ((size > array.length - length || size > max - length) && !grow(piece)) {
      return;
    }
    piece.readBytes(array, length, size);
    length += size;
  }

  private boolean grow(ByteBuf piece) {
    long needed = (long) length + piece.readableBytes();
    if (needed > max) {
      failed = true;
      reader.onTooLong(piece);
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
    if (!budget.tryCharge(rounded) && !(forgetOriginal() && budget.tryCharge(rounded))) {
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

  /** Whether that made room. */
  private boolean forgetOriginal() {
    if (original == null || !original.whole()) {
      return false;
    }
    original.free();
    return true;
  }

  /**
   * Hands all over that was gathered, for a node: as it came, where that was kept.
   *
   * @param headers the request's; from now on they describe what the node gets
   * @param rest of the piece that did not fit, decoded; borrowed
   * @param corrupt hears that the rest of the body is not what its coding says
   */
  OutgrownBody outgrow(
      HttpHeaders headers, ByteBuf rest, Consumer<DecompressionException> corrupt) {
    failed = true;
    if (original != null && original.whole()) {
      original.restore(headers);
      long charge = original.takeCharge();
      ByteBuf asItCame = original.take();
      free();
      return new OutgrownBody(asItCame, budget, charge, null, null, corrupt);
    }
    if (decoder != null) {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    }
    ByteBuf gathered = Unpooled.wrappedBuffer(array, 0, length);
    OutgrownBody outgrown = new OutgrownBody(gathered, budget, charged, decoder, rest, corrupt);
    decoder = null;
    array = NOTHING;
    length = 0;
    charged = 0;
    return outgrown;
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
    if (original != null) {
      original.free();
    }
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
  }
}
