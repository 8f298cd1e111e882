package dev.weir.http.body;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.MemoryRejection;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the decoded body of one request in one array. Owned by its exchange, which calls {@link
 * #release} or {@link #leaveToGarbageCollector} once.
 */
public final class BufferedBody implements BodySink {

  /** Receives the outcome of buffering. Called on the request's event loop. */
  public interface Listener extends BodyFailureListener {

    void onBodyComplete();

    /**
     * Called when the body exceeds the current limit.
     *
     * @param currentLimit the current limit in bytes
     * @return the new limit in bytes, up to which the body is buffered; 0 to buffer no more
     */
    int onBufferFull(int currentLimit);

    /**
     * Called when the body exceeds the final limit.
     *
     * @param rest the decoded part of the last chunk that did not fit; borrowed
     */
    void onTooLong(ByteBuf rest);

    /** Called when the budget lacks {@code wanted} bytes. */
    void onNoRoom(long wanted);

    /** Returns the request's event loop. */
    ScheduledExecutorService eventLoop();

    /**
     * Called when the rest of what the client has sent is left to a later turn of the event loop.
     * Nothing more of the body may be read until {@link #onCaughtUp}.
     */
    void onTurnOver();

    /**
     * Called in a later turn, when all that the client has sent is decoded, or is no longer needed.
     * Not called when the body became complete in that turn.
     *
     * @param ended whether {@link #complete} was called before this turn, so that what has taken
     *     over the body in this turn is to be told of its end
     */
    void onCaughtUp(boolean ended);
  }

  /**
   * <pre>
   *   BUFFERING --complete()----------------------------> COMPLETE --release()--> STOPPED
   *    |    ^                                                ^
   *    v    `-next turn-.                                    |
   *   YIELDED ----------+--complete()--> ENDING --next turn--'
   *   from all of them: --too long, no memory, corrupt, released--> STOPPED
   * </pre>
   */
  private enum State {
    BUFFERING,
    /** The event loop serves other connections before it decodes the rest of what has come. */
    YIELDED,
    /** As YIELDED, and the client has sent all of the body. */
    ENDING,
    COMPLETE,
    /** The body takes nothing more and calls its listener no more. */
    STOPPED
  }

  /**
   * A body up to this length gets its full array at once. Bulks are often a little longer than a
   * megabyte; the next size of arrays would no longer be an ordinary object in a region of 4 MB.
   */
  private static final int MAX_UNDIVIDED_LENGTH = 7 << 18;

  /**
   * The array of a longer announced body before any of it has arrived; it moves to its full array
   * later.
   */
  private static final int MAX_INITIAL_CAPACITY = 1 << 20;

  /** Bodies up to this size mostly arrive in one chunk; they are charged on arrival. */
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
   * Creates an empty body.
   *
   * @param max the limit of decoded bytes
   * @param announced the content length as the client sent it; negative when unknown
   * @param decoder for the body's content-encoding; null for none
   * @param original keeps the encoded bytes; null when they are not needed
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
    this.max = (int) Math.min(max, budget.limit()); // the budget never grants more
    this.announced = decoder == null ? announced : -1;
    this.decoder = decoder;
    this.original = original;
  }

  /**
   * Charges the announced length before any of the body arrives: a body that was started can be
   * completed, and one that can't be is rejected before the client sends it. When too many bytes
   * are pending already, the body is charged as it arrives.
   *
   * @param all counts the pending bytes of all clients
   * @return the bytes that the budget lacks; 0 when it has enough
   */
  public long reserve(PendingBodyTracker all) {
    if (announced <= SINGLE_CHUNK_SIZE || announced > max) {
      return 0;
    }
    int whole = AccountedBuffer.allocatedSize((int) announced);
    long price =
        announced > MAX_UNDIVIDED_LENGTH
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
      long received = Math.min(bytes, pendingBytes);
      pendingBytes -= received;
      pendingBodies.remove(received);
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
    if (state != State.BUFFERING) {
      throw new IllegalStateException(
          "got a part of a body in state " + state + " (expected: none before onCaughtUp)");
    }
    try {
      if (through.status() == Decompressor.Status.NEED_INPUT) {
        through.addInput(piece.retain());
      }
      takeOutput(through);
    } catch (DecompressionException e) {
      state = State.STOPPED;
      listener.onCorrupt(e);
    }
  }

  /** Appends what the decoder has, as far as the event loop's turn allows. */
  private void takeOutput(Decompressor through) {
    DecodingTurns turns = DecodingTurns.current();
    while (state == State.BUFFERING && through.status() == Decompressor.Status.NEED_OUTPUT) {
      if (turns.isOver()) {
        state = State.YIELDED;
        listener.onTurnOver();
        turns.await(this::continueDecoding, listener.eventLoop());
        return;
      }
      ByteBuf output = through.takeOutput();
      try {
        turns.add(output.readableBytes());
        append(output);
      } finally {
        output.release();
      }
    }
  }

  private void continueDecoding() {
    boolean ended = state == State.ENDING;
    Decompressor through = decoder;
    if (through == null || (!ended && state != State.YIELDED)) {
      catchUp(false); // the body was released
      return;
    }
    state = State.BUFFERING;
    try {
      takeOutput(through);
      if (ended && state != State.STOPPED) {
        complete(); // now, or in the next turn
        return;
      }
    } catch (DecompressionException e) {
      state = State.STOPPED;
      listener.onCorrupt(e);
    } catch (Throwable e) { // errors too: nothing else would end the request
      state = State.STOPPED;
      listener.onProcessingFailure(e);
    }
    if (state != State.YIELDED) {
      catchUp(ended);
    }
  }

  private void catchUp(boolean ended) {
    try {
      listener.onCaughtUp(ended);
    } catch (Throwable e) { // errors too: nothing else would end the request
      state = State.STOPPED;
      listener.onProcessingFailure(e);
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
            ? Math.max(needed, initialCapacity())
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

  private long initialCapacity() {
    if (announced < 0) {
      return INITIAL_CAPACITY;
    }
    return announced > MAX_UNDIVIDED_LENGTH ? MAX_INITIAL_CAPACITY : announced;
  }

  /** Drops the encoded copy; returns false when there was none to drop. */
  private boolean dropOriginal() {
    if (original == null || !original.isComplete()) {
      return false;
    }
    original.release();
    return true;
  }

  /**
   * Hands over what was buffered, to be sent to a node: encoded as received if the encoded copy is
   * complete, else decoded.
   *
   * @param headers the request's; changed to describe the body as the node receives it
   * @param rest the decoded part of the last chunk that did not fit; borrowed
   */
  public SpilloverBody toSpilloverBody(HttpHeaders headers, ByteBuf rest) {
    state = State.STOPPED;
    if (original != null && original.isComplete()) {
      original.restore(headers);
      AccountedBuffer encoded = original.takeBuffer();
      release();
      return new SpilloverBody(encoded, null, null, listener);
    }
    if (decoder != null) {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // may name the content coding too
    }
    SpilloverBody spillover = new SpilloverBody(buffer.transfer(), decoder, rest, listener);
    decoder = null;
    return spillover;
  }

  /** Lets the splitter scan what was buffered. */
  public void feed(BodySectionSplitter cutter) {
    cutter.scan(buffer.array(), buffer.length());
  }

  /** Hands over the buffer to a {@link StreamedBody}, which owns it from now on. */
  AccountedBuffer takeBuffer() {
    if (original != null) {
      original.release();
    }
    return buffer.transfer();
  }

  /** Hands over the decoder with its buffered input; null when there is none. */
  @Nullable Decompressor takeDecoder() {
    Decompressor taken = decoder;
    decoder = null;
    return taken;
  }

  @Override
  public void complete() {
    if (state == State.YIELDED) {
      state = State.ENDING;
      return;
    }
    closeDecoder();
    buffer.releaseReserve();
    if (state == State.BUFFERING) {
      state = State.COMPLETE;
      listener.onBodyComplete();
    }
  }

  /** Returns why memory was refused; null when unknown. */
  public @Nullable MemoryRejection memoryRefusal() {
    return budget instanceof RequestBodyBudget own ? own.refusal() : null;
  }

  /** Returns a view of the body that shares the array. */
  public ByteBuffer bytes() {
    return buffer.bytes();
  }

  public int length() {
    return buffer.length();
  }

  /** Returns the array to the pool. Call only when nothing reads the body any more. */
  public void release() {
    buffer.release();
    leaveToGarbageCollector();
  }

  /** Drops the array without reusing it, because something may still read the body. */
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
