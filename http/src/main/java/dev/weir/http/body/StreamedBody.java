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
 * A body that is worked on while it comes. Its first section is of what was gathered until it
 * turned out to be large; what follows is gathered in further arrays, paid for out of a {@link
 * BodyWindow}, and cut where an item ends. Sections lie in an array one after the other; what
 * follows its last whole item goes to the next array. While there is no room, or nobody asks for a
 * section, nothing is read of the connection. Confined to its event loop.
 *
 * <pre>
 *   begun --start--> read --> told complete, unfit or gone
 *     `-----------------`---> over by an answer, or passed through (begun only): nothing is told
 * </pre>
 */
public final class StreamedBody implements BodySink, SectionedBody {
  private final BodyContext context;
  private final BufferedBody buffered;
  private final BodyWindow window;
  private final BodySectionSplitter cutter;
  private final BodyStreamLimits limits;
  private final BufferSection firstSection;

  /** As it came. */
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);

  /** Decoded, for the array that is filled or the next one. */
  private final ArrayDeque<DecodedChunk> decoded = new ArrayDeque<>(3);

  private @Nullable Decompressor decoder;
  private @Nullable RefCountedBuffer currentBuffer;
  private @Nullable BufferSection readySection;
  private @Nullable Listener reader;
  private @Nullable Throwable failure;
  private long taken;

  /** Where in the array that is filled the next section begins. */
  private int sectionStart;

  private int outstandingSections;
  private StreamedBodyState state = StreamedBodyState.RECEIVING;

  /** The reader wants one more section. */
  private boolean sectionRequested;

  /** Guards against re-entry: what a section causes may deliver the next one. */
  private boolean pumping;

  private StreamedBody(
      BodyContext context,
      BufferedBody gathered,
      BodyWindow window,
      BodyStreamLimits terms,
      BodySectionSplitter cutter) {
    this.context = context;
    this.buffered = gathered;
    this.window = window;
    this.limits = terms;
    this.cutter = cutter;
    this.firstSection = new BufferSection(null, 0, cutter);
  }

  /**
   * Begins with what was gathered; nothing more is read for now.
   *
   * @param gathered stays its owner's until {@link #start}
   * @param rest of the piece that did not fit, decoded; borrowed
   * @param budget has to have room for the window
   * @param cutter has read what was gathered
   * @return null when it has to go another way: there is no room, or no whole item was gathered
   */
  public static @Nullable StreamedBody tryStart(
      BodyContext context,
      BufferedBody gathered,
      ByteBuf rest,
      BodyStreamLimits terms,
      BodyBudget budget,
      BodySectionSplitter cutter) {
    BodyWindow window =
        cutter.sectionEnd() == 0
            ? null
            : BodyWindow.open(budget, context.pendingBodies(), terms.windowBytes());
    if (window == null) {
      return null;
    }
    StreamedBody body = new StreamedBody(context, gathered, window, terms, cutter);
    body.decoded.add(new DecodedChunk(rest.retainedSlice(), null));
    context.pauseBody();
    return body;
  }

  // What is asked of it.

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

  /** What did not fit into what was gathered, for a node; borrowed. */
  public ByteBuf unbufferedRest() {
    return decoded.element().bytes();
  }

  public boolean isStarted() {
    return reader != null;
  }

  /** What was found instead of the rest, which will not come; null for nothing of that kind. */
  public @Nullable Throwable failureCause() {
    return failure;
  }

  /** Takes what the connection holds already. */
  public void drainConnection() {
    context.resumeBody();
  }

  /** It goes on to a node, which has got what was gathered and what did not fit. */
  public void transferTo(SpilloverBody onward) {
    boolean complete = state == StreamedBodyState.RECEIVED;
    waiting.forEach(onward::acceptContent);
    releaseAll();
    if (complete) {
      onward.complete();
    }
  }

  // What comes.

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
  public boolean fail(Throwable why) {
    if (state.isClosed()) {
      return false;
    }
    releaseAll();
    failure = why;
    if (reader != null) {
      reader.onInvalid(HttpResponseStatus.BAD_REQUEST.code(), String.valueOf(why.getMessage()));
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
        // goes on
      }
    } catch (DecompressionException e) {
      Listener told = reader;
      releaseAll();
      told.onInvalid(
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

  /** Does something; false when there is nothing to do for now. */
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
    int most = context.maxContentBytes();
    if (taken > most) {
      rejectBody(
          to, "got a body of more than " + most + " bytes (expected: at most http.max-body-bytes)");
    }
    return true;
  }

  /** The next decoded piece; null when the client has to send more. */
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
   * There is no room in the window until a section is given back that somebody works on.
   *
   * @param longest that there was room for
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

  /** The next section begins there. */
  private void startSectionAt(int next) {
    sectionStart = next;
    cutter.restartAt(next);
    if (currentBuffer != null) {
      cutter.scan(currentBuffer.buffer().array(), currentBuffer.buffer().length());
    }
  }

  /** What follows the last whole item of an array is the first of what is taken next. */
  private void moveRemainder(RefCountedBuffer filled) {
    currentBuffer = null;
    if (filled.buffer().length() > sectionStart) {
      decoded.addFirst(new DecodedChunk(filled.buffer().buffer().skipBytes(sectionStart), filled));
    } else {
      filled.release();
    }
  }

  /** An item is longer than the array. */
  private boolean growBuffer(AccountedBuffer array, Listener to) {
    int most = (int) limits.maxItemBytes();
    if (array.capacity() >= most) {
      onItemTooLong(to, array.capacity());
      return false;
    }
    return array.tryGrow((int) Math.min(2L * array.capacity(), most))
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

  private void rejectBody(Listener to, String why) {
    releaseAll();
    to.onInvalid(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE.code(), why);
  }

  // The end.

  /** Nothing more of it is wanted: what comes is thrown away. */
  public void discard() {
    releaseAll();
    context.resumeBody();
  }

  /** The rest of it will not come. */
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

  /** Lets go of all that no section holds. */
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

  /** Some items in an array, which is held until they are given back. */
  private final class BufferSection implements Section {
    private final int start;
    private final int length;
    private final int items;
    private final int lines;
    private @Nullable RefCountedBuffer buffer;
    private boolean delivered;
    private boolean read;
    private boolean released;

    /** The items up to the cut. */
    BufferSection(@Nullable RefCountedBuffer array, int start, BodySectionSplitter read) {
      this(array, start, read.sectionEnd() - start, read);
    }

    /**
     * Makes a part.
     *
     * @param array null for what was gathered
     */
    BufferSection(
        @Nullable RefCountedBuffer array, int start, int length, BodySectionSplitter read) {
      this.buffer = array == null ? null : array.retain();
      this.start = start;
      this.length = length;
      this.items = read.items();
      this.lines = read.lines();
    }

    /** What was gathered lies there now. */
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
