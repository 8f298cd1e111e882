package dev.weir.http;

import dev.weir.model.BodyCutter;
import dev.weir.model.MemoryRefusal;
import io.netty.buffer.ByteBuf;
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
     * There is more of it than may be gathered.
     *
     * @param most bytes that may be gathered
     * @return bytes that may be gathered from now on; what does not fit is taken in part then. 0
     *     when that is all
     */
    int onFull(int most);

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

  /** At first the array has this size at most; a larger one is made when so much has come. */
  private static final int BELIEVED = 1 << 20;

  /** Bodies up to this size come in one piece as a rule: they are paid for when they do. */
  private static final int PIECE = 64 << 10;

  private static final int FIRST = 4 << 10;

  private final Reader reader;
  private final BodyBudget budget;
  private final long announced;
  private final @Nullable KeptOriginal original;
  private final PaidArray gathered;
  private @Nullable Decompressor decoder;
  private @Nullable Promises promises;
  private long promised;
  private int max;
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
    this.gathered = new PaidArray(budget);
    this.max = (int) Math.min(max, budget.limit()); // more will never have room
    this.announced = decoder == null ? announced : -1;
    this.decoder = decoder;
    this.original = original;
  }

  /**
   * Pays at once for what the client announced, before any of it comes: so what was begun can be
   * finished, and what could not be is refused before it is sent. Where too much is promised
   * already, it is paid for as it comes.
   *
   * @param all counts what clients promised
   * @return the bytes for which there is no room; 0 when there is
   */
  long reserve(Promises all) {
    if (announced <= PIECE || announced > max) {
      return 0;
    }
    int whole = PaidArray.price((int) announced);
    long price = announced > BELIEVED ? whole + (long) PaidArray.price(BELIEVED) : whole;
    if (!all.tryMake(announced)) {
      return price <= budget.limit() - budget.used() ? 0 : price;
    }
    if (!gathered.tryReserve(price)) {
      all.settle(announced);
      return price;
    }
    promises = all;
    promised = announced;
    return 0;
  }

  private void settle(long bytes) {
    if (promises != null) {
      long kept = Math.min(bytes, promised);
      promised -= kept;
      promises.settle(kept);
    }
  }

  @Override
  public void content(ByteBuf piece) {
    if (failed) {
      return;
    }
    settle(piece.readableBytes());
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
    if (size > max - gathered.length()) {
      full(piece);
    } else if (size <= gathered.room() || grow(size)) {
      gathered.append(piece);
    }
  }

  private void full(ByteBuf piece) {
    max = (int) Math.min(reader.onFull(max), budget.limit());
    int more = max - gathered.length();
    ByteBuf rest = piece.slice();
    if (more > 0) {
      append(rest.readSlice(Math.min(rest.readableBytes(), more)));
      if (!failed && rest.isReadable()) {
        full(rest);
      }
    } else {
      failed = true;
      reader.onTooLong(rest);
    }
  }

  private boolean grow(int more) {
    long needed = (long) gathered.length() + more;
    long wanted =
        gathered.length() == 0
            ? Math.max(needed, announced < 0 ? FIRST : Math.min(announced, BELIEVED))
            : Math.max(needed, promises == null ? 2L * gathered.capacity() : announced);
    if (announced >= needed) {
      wanted = Math.min(wanted, announced);
    }
    int size = (int) Math.min(wanted, max);
    if (gathered.tryGrow(size) || (forgetOriginal() && gathered.tryGrow(size))) {
      return true;
    }
    failed = true;
    reader.onNoRoom(PaidArray.price(size));
    return false;
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
      PaidArray asItCame = original.take();
      free();
      return new OutgrownBody(asItCame, null, null, corrupt);
    }
    if (decoder != null) {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    }
    OutgrownBody outgrown = new OutgrownBody(gathered.handOver(), decoder, rest, corrupt);
    decoder = null;
    return outgrown;
  }

  /** Has what was gathered read. */
  void readBy(BodyCutter cutter) {
    cutter.read(gathered.array(), gathered.length());
  }

  /** Hands over what was gathered, to be worked on while the rest comes. */
  PaidArray takeGathered() {
    if (original != null) {
      original.free();
    }
    return gathered.handOver();
  }

  /** Hands over the decoder, with what it has taken in already; null when there is none. */
  @Nullable Decompressor takeDecoder() {
    Decompressor taken = decoder;
    decoder = null;
    return taken;
  }

  @Override
  public void end() {
    closeDecoder();
    gathered.releaseReserve();
    if (!failed) {
      reader.onBody();
    }
  }

  /** Why there was no room; null where that is not known. */
  @Nullable MemoryRefusal refusal() {
    return budget instanceof RequestBody own ? own.refusal() : null;
  }

  /** The body; shares the array. */
  ByteBuffer bytes() {
    return gathered.bytes();
  }

  int length() {
    return gathered.length();
  }

  /** Nobody reads the body any more: its array is used again. */
  void free() {
    gathered.free();
    abandon();
  }

  /** Somebody may still read the body: its array is left to the garbage collector. */
  void abandon() {
    closeDecoder();
    settle(promised);
    failed = true;
    gathered.abandon();
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
