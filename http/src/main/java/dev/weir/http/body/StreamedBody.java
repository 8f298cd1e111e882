package dev.weir.http.body;

import dev.weir.http.error.BodyTransformException;
import dev.weir.model.BodySectionSplitter;
import dev.weir.model.SectionedBody;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A body that its reader processes in sections while it arrives. The first section is what was
 * buffered until the body turned out to be large. The rest is copied into further arrays, charged
 * to a {@link BodyWindow}, and split at the ends of items. An array holds several sections in
 * sequence; the incomplete item at its end moves to the next array. While the window is full or the
 * reader requests no section, the connection is not read. {@link StreamedBodyState} draws the life
 * of a body. Confined to its event loop.
 */
public final class StreamedBody implements BodySink, SectionedBody {
  private final BodyContext context;
  private final BufferedBody buffered;
  private final BodyWindow window;
  private final BodySectionSplitter cutter;
  private final BodyStreamLimits limits;
  private final BufferSection firstSection;

  /** Chunks as received, not decoded yet. */
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);

  /** Decoded bytes that are not in an array yet. */
  private final ArrayDeque<DecodedChunk> decoded = new ArrayDeque<>(3);

  private @Nullable Decompressor decoder;
  private @Nullable RefCountedBuffer currentBuffer;
  private @Nullable BufferSection readySection;
  private @Nullable Listener reader;
  private @Nullable Throwable failure;
  private long taken;

  /** Offset in {@link #currentBuffer} at which the next section begins. */
  private int sectionStart;

  private int outstandingSections;
  private StreamedBodyState state = StreamedBodyState.RECEIVING;

  private boolean sectionRequested;

  /** Prevents reentrant pumping: delivering a section may deliver the next one. */
  private boolean pumping;

  private StreamedBody(
      BodyContext context,
      BufferedBody buffered,
      BodyWindow window,
      BodyStreamLimits limits,
      BodySectionSplitter cutter) {
    this.context = context;
    this.buffered = buffered;
    this.window = window;
    this.limits = limits;
    this.cutter = cutter;
    this.firstSection = new BufferSection(null, 0, cutter);
  }

  /**
   * Starts streaming with what was buffered, and pauses the client.
   *
   * @param buffered what was buffered; the caller's until {@link #start}
   * @param rest the decoded part of the last chunk that did not fit; borrowed
   * @param budget charged for the window
   * @param cutter has scanned what was buffered
   * @return null when the body can't be streamed: the window does not fit into the budget, or no
   *     whole item was buffered
   */
  public static @Nullable StreamedBody tryStart(
      BodyContext context,
      BufferedBody buffered,
      ByteBuf rest,
      BodyStreamLimits limits,
      BodyBudget budget,
      BodySectionSplitter cutter) {
    BodyWindow window =
        cutter.sectionEnd() == 0
            ? null
            : BodyWindow.open(budget, context.pendingBodies(), limits.windowBytes());
    if (window == null) {
      return null;
    }
    StreamedBody body = new StreamedBody(context, buffered, window, limits, cutter);
    body.decoded.add(new DecodedChunk(rest.retainedSlice(), null));
    context.pauseBody();
    return body;
  }

  // What the reader and the exchange call.

  @Override
  public Section firstSection() {
    return firstSection;
  }

  @Override
  public void start(Listener by) {
    reader = by;
    if (state.isClosed()) {
      if (state == StreamedBodyState.DISCONNECTED) {
        by.onDisconnect();
      }
      return;
    }
    decoder = buffered.takeDecoder();
    RefCountedBuffer begun = new RefCountedBuffer(buffered.takeBuffer());
    firstSection.relocate(begun);
    currentBuffer = begun;
    taken = (long) begun.buffer().length() + unbufferedRest().readableBytes();
    startSectionAt(firstSection.length);
    pump();
  }

  @Override
  public void requestNext() {
    sectionRequested = true;
    pump();
  }

  @Override
  public void schedule(Duration delay, Runnable action) {
    context.eventLoop().schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the decoded bytes that did not fit into the buffer; borrowed. */
  public ByteBuf unbufferedRest() {
    return decoded.element().bytes();
  }

  public boolean isStarted() {
    return reader != null;
  }

  /** Returns why the rest of the body could not be decoded; null when it could so far. */
  public @Nullable Throwable failureCause() {
    return failure;
  }

  /** Resumes reading, so that what the connection has decoded already is delivered. */
  public void drainConnection() {
    context.resumeBody();
  }

  /** Hands the rest of the body to a node that already has the buffered part. */
  public void transferTo(SpilloverBody onward) {
    boolean complete = state == StreamedBodyState.RECEIVED;
    waiting.forEach(onward::acceptContent);
    releaseAll();
    if (complete) {
      onward.complete();
    }
  }

  // What the connection delivers.

  @Override
  public void acceptContent(ByteBuf piece) {
    if (!state.isClosed()) {
      waiting.add(piece.retainedSlice());
      pump();
    }
  }

  @Override
  public void complete() {
    if (state == StreamedBodyState.RECEIVING) {
      state = StreamedBodyState.RECEIVED;
    }
    pump();
  }

  @Override
  public boolean fail(Throwable cause) {
    if (state.isClosed()) {
      return false;
    }
    releaseAll();
    failure = cause;
    if (reader != null) {
      reader.onInvalid(HttpResponseStatus.BAD_REQUEST.code(), String.valueOf(cause.getMessage()));
    }
    return true;
  }

  private void pump() {
    if (pumping || reader == null || state.isClosed()) {
      return;
    }
    pumping = true;
    try {
      while (!state.isClosed() && advance(reader)) {
        // advance() did one step
      }
    } catch (DecompressionException e) {
      Listener listener = reader;
      releaseAll();
      listener.onInvalid(
          HttpResponseStatus.BAD_REQUEST.code(),
          e instanceof BodyTransformException unchangeable
              ? unchangeable.reason()
              : "got a body that is not what its content-encoding says: " + e.getMessage());
    } finally {
      pumping = false;
    }
    if (state.isClosed() || (readySection == null && decoded.isEmpty())) {
      context.resumeBody();
    } else {
      context.pauseBody();
    }
  }

  /** Makes one step; returns false when the body needs input, memory or a request for a section. */
  private boolean advance(Listener to) {
    BufferSection whole = readySection;
    if (whole != null) {
      if (!sectionRequested) {
        return false;
      }
      sectionRequested = false;
      readySection = null;
      outstandingSections++;
      whole.delivered = true;
      to.onSection(whole);
      return true;
    }
    if (currentBuffer != null
        && (currentBuffer.buffer().writableBytes() == 0 || cutter.isSectionFull())) {
      return emitSection(currentBuffer, to);
    }
    DecodedChunk next = decoded.peek();
    if (next != null) {
      return appendDecoded(next, to);
    }
    ByteBuf come = decode();
    if (come == null) {
      return state == StreamedBodyState.RECEIVED && emitLast(to);
    }
    decoded.add(new DecodedChunk(come, null));
    taken += come.readableBytes();
    int limit = context.maxContentBytes();
    if (taken > limit) {
      rejectBody(
          to,
          "got a body of more than " + limit + " bytes (expected: at most http.max-body-bytes)");
    }
    return true;
  }

  /** Returns the next decoded chunk; null when the client has to send more. */
  private @Nullable ByteBuf decode() {
    return DecompressorFactory.nextOutput(decoder, waiting);
  }

  private boolean appendDecoded(DecodedChunk piece, Listener to) {
    if (currentBuffer == null) {
      AccountedBuffer empty = new AccountedBuffer(window);
      if (!empty.tryGrow(limits.sectionBytes())) {
        return isWindowFull(to, limits.sectionBytes());
      }
      currentBuffer = new RefCountedBuffer(empty);
      startSectionAt(0);
    }
    AccountedBuffer array = currentBuffer.buffer();
    ByteBuf bytes = piece.bytes();
    int size = Math.min(bytes.readableBytes(), array.writableBytes());
    array.append(bytes.slice(bytes.readerIndex(), size));
    bytes.skipBytes(size);
    if (!bytes.isReadable()) {
      decoded.remove().release();
    }
    cutter.scan(array.array(), array.length());
    return true;
  }

  /**
   * Rejects the body when no outstanding section can free memory of the window; otherwise waits for
   * one.
   *
   * @param longest the size in bytes that did fit
   * @return always false: no progress for now
   */
  private boolean isWindowFull(Listener to, int longest) {
    if (outstandingSections == 0) {
      onItemTooLong(to, longest);
    }
    return false;
  }

  private void onItemTooLong(Listener to, int longest) {
    rejectBody(
        to,
        "got an item of more than "
            + longest
            + " bytes (expected: at most a quarter of bulk.streaming.max-buffered-bytes)");
  }

  private boolean emitSection(RefCountedBuffer filled, Listener to) {
    int end = cutter.sectionEnd();
    if (end > sectionStart) {
      readySection = new BufferSection(filled, sectionStart, cutter);
      startSectionAt(end);
    } else if (sectionStart == 0) {
      return growBuffer(filled.buffer(), to);
    } else {
      moveRemainder(filled);
    }
    return true;
  }

  private void startSectionAt(int next) {
    sectionStart = next;
    cutter.restartAt(next);
    if (currentBuffer != null) {
      cutter.scan(currentBuffer.buffer().array(), currentBuffer.buffer().length());
    }
  }

  /** Moves the incomplete item at the end of an array to the next array. */
  private void moveRemainder(RefCountedBuffer filled) {
    currentBuffer = null;
    if (filled.buffer().length() > sectionStart) {
      decoded.addFirst(new DecodedChunk(filled.buffer().buffer().skipBytes(sectionStart), filled));
    } else {
      filled.release();
    }
  }

  /** Moves to a larger array, because an item does not fit. */
  private boolean growBuffer(AccountedBuffer array, Listener to) {
    int limit = (int) limits.maxItemBytes();
    if (array.capacity() >= limit) {
      onItemTooLong(to, array.capacity());
      return false;
    }
    return array.tryGrow((int) Math.min(2L * array.capacity(), limit))
        || isWindowFull(to, array.capacity());
  }

  private boolean emitLast(Listener to) {
    RefCountedBuffer last = currentBuffer;
    if (last != null && last.buffer().length() > sectionStart) {
      readySection =
          new BufferSection(last, sectionStart, last.buffer().length() - sectionStart, cutter);
      sectionStart = last.buffer().length();
      return true;
    }
    releaseAll();
    to.onComplete();
    return false;
  }

  private void rejectBody(Listener to, String cause) {
    releaseAll();
    to.onInvalid(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE.code(), cause);
  }

  // The end.

  /** Releases the body; drops what still arrives. */
  public void discard() {
    releaseAll();
    context.resumeBody();
  }

  /** Called when the client disconnected. */
  public void close() {
    if (state.isClosed()) {
      return;
    }
    releaseAll();
    state = StreamedBodyState.DISCONNECTED;
    if (reader != null) {
      reader.onDisconnect();
    }
  }

  /** Releases everything that no section holds. */
  private void releaseAll() {
    if (state.isClosed()) {
      return;
    }
    state = StreamedBodyState.CLOSED;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    decoded.forEach(DecodedChunk::release);
    decoded.clear();
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
    if (currentBuffer != null) {
      currentBuffer.release();
      currentBuffer = null;
    }
    if (readySection != null) {
      readySection.release();
      readySection = null;
    }
    window.close();
  }

  /** Whole items that lie in one array. Holds a reference to the array until it is released. */
  private final class BufferSection implements Section {
    private final int start;
    private final int length;
    private final int items;
    private final int lines;
    private @Nullable RefCountedBuffer buffer;
    private boolean delivered;
    private boolean read;
    private boolean released;

    /** Creates a section that ends at the splitter's last whole item. */
    BufferSection(@Nullable RefCountedBuffer array, int start, BodySectionSplitter read) {
      this(array, start, read.sectionEnd() - start, read);
    }

    /**
     * Creates a section.
     *
     * @param array null for what was buffered before {@link #start}
     */
    BufferSection(
        @Nullable RefCountedBuffer array, int start, int length, BodySectionSplitter read) {
      this.buffer = array == null ? null : array.retain();
      this.start = start;
      this.length = length;
      this.items = read.items();
      this.lines = read.lines();
    }

    /** Moves the first section to its final array, which has taken over the buffered bytes. */
    void relocate(RefCountedBuffer now) {
      buffer = now.retain();
      if (released) {
        releaseBuffer(buffer);
      }
    }

    @Override
    public ByteBuffer bytes() {
      RefCountedBuffer held = buffer;
      return (held == null ? buffered.bytes() : held.buffer().bytes()).slice(start, length);
    }

    @Override
    public int items() {
      return items;
    }

    @Override
    public int lines() {
      return lines;
    }

    @Override
    public void release() {
      if (delivered) {
        delivered = false;
        outstandingSections--;
      }
      released = true;
      if (buffer != null) {
        releaseBuffer(buffer);
      }
      pump();
    }

    @Override
    public void leaveToGarbageCollector() {
      read = true;
      release();
    }

    private void releaseBuffer(RefCountedBuffer held) {
      if (read) {
        held.leaveToGarbageCollector();
      } else {
        held.release();
      }
    }
  }
}
