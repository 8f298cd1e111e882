package dev.weir.http.body;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.MemoryRejection;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request, decoded and gathered in one array. Owned by its exchange, which calls
 * {@link #release} or {@link #leaveToGarbageCollector} once.
 */
public final class BufferedBody implements BodySink {

  /** Who waits for the body. */
  public interface Listener extends BodyFailureListener {

    /** The body is complete. */
    void onBodyComplete();

    /**
     * There is more of it than may be gathered.
     *
     * @param most bytes that may be gathered
     * @return bytes that may be gathered from now on; what does not fit is taken in part then. 0
     *     when that is all
     */
    int onBufferFull(int most);

    /**
     * It is longer than may be gathered.
     *
     * @param rest of the piece that did not fit, decoded; borrowed
     */
    void onTooLong(ByteBuf rest);

    /** There is no room for it among the other bodies. */
    void onNoRoom(long wanted);
  }

  /**
   * <pre>
   *   BUFFERING --complete()--> COMPLETE --release()--> STOPPED
   *       `--too long, no memory, corrupt, released---^
   * </pre>
   */
  private enum State {
    BUFFERING,
    COMPLETE,
    /** The body takes nothing more and calls its listener no more. */
    STOPPED
  }

  /** At first the array has this size at most; a larger one is made when so much has come. */
  private static final int MAX_INITIAL_CAPACITY = 1 << 20;

  /** Bodies up to this size come in one piece as a rule: they are paid for when they do. */
  private static final int SINGLE_CHUNK_SIZE = 64 << 10;

  private static final int INITIAL_CAPACITY = 4 << 10;

  private final Listener listener;
  private final BodyBudget budget;
  private final long announced;
  private final @Nullable EncodedBodyCopy original;
  private final AccountedBuffer buffer;
  private @Nullable Decompressor decoder;
  private @Nullable PendingBodyTracker pendingBodies;
  private long pendingBytes;
  private int max;
  private State state = State.BUFFERING;

  /**
   * Starts gathering.
   *
   * @param max most bytes that are gathered, decoded
   * @param announced its length as the client announced it; negative when unknown
   * @param decoder for its content-encoding; null for none
   * @param original keeps what is decoded; null when nobody will ask for it
   */
  public BufferedBody(
      Listener reader,
      BodyBudget budget,
      int max,
      long announced,
      @Nullable Decompressor decoder,
      @Nullable EncodedBodyCopy original) {
    this.listener = reader;
    this.budget = budget;
    this.buffer = new AccountedBuffer(budget);
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
  public long reserve(PendingBodyTracker all) {
    if (announced <= SINGLE_CHUNK_SIZE || announced > max) {
      return 0;
    }
    int whole = AccountedBuffer.allocatedSize((int) announced);
    long price =
        announced > MAX_INITIAL_CAPACITY
            ? whole + (long) AccountedBuffer.allocatedSize(MAX_INITIAL_CAPACITY)
            : whole;
    if (!all.tryAdd(announced)) {
      return price <= budget.limit() - budget.used() ? 0 : price;
    }
    if (!buffer.tryReserve(price)) {
      all.remove(announced);
      return price;
    }
    pendingBodies = all;
    pendingBytes = announced;
    return 0;
  }

  private void reducePending(long bytes) {
    if (pendingBodies != null) {
      long kept = Math.min(bytes, pendingBytes);
      pendingBytes -= kept;
      pendingBodies.remove(kept);
    }
  }

  @Override
  public void acceptContent(ByteBuf piece) {
    if (state == State.STOPPED) {
      return;
    }
    reducePending(piece.readableBytes());
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
      while (state != State.STOPPED && through.status() == Decompressor.Status.NEED_OUTPUT) {
        ByteBuf output = through.takeOutput();
        try {
          append(output);
        } finally {
          output.release();
        }
      }
    } catch (DecompressionException e) {
      state = State.STOPPED;
      listener.onCorrupt(e);
    }
  }

  private void append(ByteBuf piece) {
    int size = piece.readableBytes();
    if (size > max - buffer.length()) {
      onBufferFull(piece);
    } else if (size <= buffer.writableBytes() || grow(size)) {
      buffer.append(piece);
    }
  }

  private void onBufferFull(ByteBuf piece) {
    max = (int) Math.min(listener.onBufferFull(max), budget.limit());
    int more = max - buffer.length();
    ByteBuf rest = piece.slice();
    if (more > 0) {
      append(rest.readSlice(Math.min(rest.readableBytes(), more)));
      if (state != State.STOPPED && rest.isReadable()) {
        onBufferFull(rest);
      }
    } else {
      state = State.STOPPED;
      listener.onTooLong(rest);
    }
  }

  private boolean grow(int more) {
    long needed = (long) buffer.length() + more;
    long wanted =
        buffer.length() == 0
            ? Math.max(
                needed,
                announced < 0 ? INITIAL_CAPACITY : Math.min(announced, MAX_INITIAL_CAPACITY))
            : Math.max(needed, pendingBodies == null ? 2L * buffer.capacity() : announced);
    if (announced >= needed) {
      wanted = Math.min(wanted, announced);
    }
    int size = (int) Math.min(wanted, max);
    if (buffer.tryGrow(size) || (dropOriginal() && buffer.tryGrow(size))) {
      return true;
    }
    state = State.STOPPED;
    listener.onNoRoom(AccountedBuffer.allocatedSize(size));
    return false;
  }

  /** Whether that made room. */
  private boolean dropOriginal() {
    if (original == null || !original.isComplete()) {
      return false;
    }
    original.release();
    return true;
  }

  /**
   * Hands all over that was gathered, for a node: as it came, where that was kept.
   *
   * @param headers the request's; from now on they describe what the node gets
   * @param rest of the piece that did not fit, decoded; borrowed
   */
  public SpilloverBody toSpilloverBody(HttpHeaders headers, ByteBuf rest) {
    state = State.STOPPED;
    if (original != null && original.isComplete()) {
      original.restore(headers);
      AccountedBuffer asItCame = original.takeBuffer();
      release();
      return new SpilloverBody(asItCame, null, null, listener);
    }
    if (decoder != null) {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    }
    SpilloverBody outgrown = new SpilloverBody(buffer.transfer(), decoder, rest, listener);
    decoder = null;
    return outgrown;
  }

  /** Has what was gathered read. */
  public void feed(BodySectionSplitter cutter) {
    cutter.scan(buffer.array(), buffer.length());
  }

  /** Hands over what was gathered, to be worked on while the rest comes. */
  AccountedBuffer takeBuffer() {
    if (original != null) {
      original.release();
    }
    return buffer.transfer();
  }

  /** Hands over the decoder, with what it has taken in already; null when there is none. */
  @Nullable Decompressor takeDecoder() {
    Decompressor taken = decoder;
    decoder = null;
    return taken;
  }

  @Override
  public void complete() {
    closeDecoder();
    buffer.releaseReserve();
    if (state == State.BUFFERING) {
      state = State.COMPLETE;
      listener.onBodyComplete();
    }
  }

  /** Why there was no room; null where that is not known. */
  public @Nullable MemoryRejection memoryRefusal() {
    return budget instanceof RequestBodyBudget own ? own.refusal() : null;
  }

  /** The body; shares the array. */
  public ByteBuffer bytes() {
    return buffer.bytes();
  }

  public int length() {
    return buffer.length();
  }

  /** Nobody reads the body any more: its array is used again. */
  public void release() {
    buffer.release();
    leaveToGarbageCollector();
  }

  /** Somebody may still read the body: its array is left to the garbage collector. */
  public void leaveToGarbageCollector() {
    closeDecoder();
    reducePending(pendingBytes);
    state = State.STOPPED;
    buffer.leaveToGarbageCollector();
  }

  private void closeDecoder() {
    if (original != null) {
      original.release();
    }
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
  }
}
