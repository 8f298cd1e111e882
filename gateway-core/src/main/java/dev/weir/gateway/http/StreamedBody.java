package dev.weir.gateway.http;

import dev.weir.model.BodyCutter;
import dev.weir.model.BodyStreaming;
import dev.weir.model.SectionedBody;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body that is worked on while it comes. What was gathered until it turned out to be large is its
 * first section; what follows is gathered in arrays of their own, paid for out of a {@link
 * BodyWindow}, and cut where an item ends; what of an array follows the cut goes to the next one.
 * While there is no room, or nobody asks for a section, nothing is read of the connection. Confined
 * to its event loop.
 *
 * <pre>
 *   begun --start--> read --> told complete, unfit or gone
 *     `-----------------`---> over by an answer, or passed through (begun only): nothing is told
 * </pre>
 */
final class StreamedBody implements BodySink, SectionedBody {
  /** An item has at most this part of the window: to grow, it lies in two arrays at once. */
  private static final int ITEM_SHARE = 4;

  private final Exchange exchange;
  private final GatheredBody gathered;
  private final BodyWindow window;
  private final BodyCutter cutter;
  private final Consumer<DecompressionException> corrupt;
  private final int sectionBytes;
  private final Part first;

  /** As it came. */
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);

  /** Decoded, for the array that is filled or the next one. */
  private final ArrayDeque<Piece> decoded = new ArrayDeque<>(3);

  private @Nullable Decompressor decoder;
  private @Nullable PaidArray filling;
  private @Nullable Part ready;
  private @Nullable Reader reader;
  private long taken;
  private int out;
  private boolean wanted;
  private boolean complete;
  private boolean pumping;
  private boolean over;
  private boolean lost;

  private StreamedBody(
      Exchange exchange,
      GatheredBody gathered,
      BodyWindow window,
      int sectionBytes,
      BodyCutter cutter,
      Consumer<DecompressionException> corrupt) {
    this.exchange = exchange;
    this.gathered = gathered;
    this.window = window;
    this.sectionBytes = sectionBytes;
    this.cutter = cutter;
    this.corrupt = corrupt;
    this.first = new Part(null, cutter.cut());
  }

  /**
   * Begins with what was gathered; nothing more is read for now.
   *
   * @param gathered stays its owner's until {@link #start}
   * @param rest of the piece that did not fit, decoded; borrowed
   * @param budget has to have room for the window
   * @param corrupt hears that the rest of the body is not what its coding says
   * @return null when it has to go another way: there is no room, or no whole item was gathered
   */
  static @Nullable StreamedBody begin(
      Exchange exchange,
      GatheredBody gathered,
      ByteBuf rest,
      BodyStreaming terms,
      BodyBudget budget,
      Consumer<DecompressionException> corrupt) {
    BodyCutter cutter = terms.cutter();
    gathered.readBy(cutter);
    long size = Math.min(terms.windowBytes(), budget.limit() / 2);
    BodyWindow window = cutter.cut() == 0 ? null : BodyWindow.open(budget, size);
    if (window == null) {
      return null;
    }
    int section = (int) Math.min(terms.sectionBytes(), size / ITEM_SHARE);
    StreamedBody body = new StreamedBody(exchange, gathered, window, section, cutter, corrupt);
    body.decoded.add(new Piece(rest.retainedSlice(), null));
    exchange.connection().pauseForBody(exchange);
    return body;
  }

  // What is asked of it.

  @Override
  public Section first() {
    return first;
  }

  @Override
  public void start(Reader by) {
    reader = by;
    if (over) {
      if (lost) {
        by.gone();
      }
      return;
    }
    decoder = gathered.takeDecoder();
    PaidArray begun = gathered.takeGathered();
    first.array = begun;
    taken = (long) begun.length() + rest().readableBytes();
    leaveRest(first, begun);
    cutter.restart();
    pump();
  }

  @Override
  public void next() {
    wanted = true;
    pump();
  }

  /** What did not fit into what was gathered, for a node; borrowed. */
  ByteBuf rest() {
    return decoded.element().bytes;
  }

  boolean started() {
    return reader != null;
  }

  /** Takes what the connection holds already. */
  void collect() {
    exchange.connection().resumeForBody(exchange);
  }

  /** It goes on to a node, which has got what was gathered and what did not fit. */
  void passOn(OutgrownBody onward) {
    waiting.forEach(onward::content);
    drop();
    if (complete) {
      onward.end();
    }
  }

  // What comes.

  @Override
  public void content(ByteBuf piece) {
    if (!over) {
      waiting.add(piece.retainedSlice());
      pump();
    }
  }

  @Override
  public void end() {
    complete = true;
    pump();
  }

  @Override
  public void broken() {
    leave();
  }

  private void pump() {
    if (pumping || reader == null || over) {
      return;
    }
    pumping = true;
    try {
      while (!over && step(reader)) {
        // goes on
      }
    } catch (DecompressionException e) {
      Reader told = reader;
      drop();
      corrupt.accept(e);
      told.gone();
    } finally {
      pumping = false;
    }
    if (over || (ready == null && decoded.isEmpty())) {
      exchange.connection().resumeForBody(exchange);
    } else {
      exchange.connection().pauseForBody(exchange);
    }
  }

  /** Does something; false when there is nothing to do for now. */
  private boolean step(Reader to) {
    Part whole = ready;
    if (whole != null) {
      if (!wanted) {
        return false;
      }
      wanted = false;
      ready = null;
      out++;
      whole.told = true;
      to.section(whole);
      return true;
    }
    if (filling != null && (filling.room() == 0 || cutter.full())) {
      return cut(filling, to);
    }
    Piece next = decoded.peek();
    if (next != null) {
      return take(next, to);
    }
    ByteBuf come = decode();
    if (come == null) {
      return complete && finish(to);
    }
    decoded.add(new Piece(come, null));
    taken += come.readableBytes();
    int most = exchange.connection().options().limits().maxContentBytes();
    if (taken > most) {
      unfit(to, "got a body of more than " + most + " bytes (expected: at most http.max-body)");
    }
    return true;
  }

  /** The next decoded piece; null when the client has to send more. */
  private @Nullable ByteBuf decode() {
    return ContentDecoding.next(decoder, waiting);
  }

  private boolean take(Piece piece, Reader to) {
    PaidArray array = filling;
    if (array == null) {
      array = new PaidArray(window);
      if (!array.tryGrow(sectionBytes)) {
        return waits(to, sectionBytes);
      }
      filling = array;
    }
    ByteBuf bytes = piece.bytes;
    int size = Math.min(bytes.readableBytes(), array.room());
    array.append(bytes.slice(bytes.readerIndex(), size));
    bytes.skipBytes(size);
    if (!bytes.isReadable()) {
      decoded.remove().release();
    }
    cutter.read(array.array(), array.length());
    return true;
  }

  /**
   * There is no room in the window until a section is given back that somebody works on.
   *
   * @param longest that there was room for
   */
  private boolean waits(Reader to, int longest) {
    if (out == 0) {
      tooLong(to, longest);
    }
    return false;
  }

  private void tooLong(Reader to, int longest) {
    unfit(
        to,
        "got an item of more than "
            + longest
            + " bytes (expected: at most a quarter of bulk.streaming.window)");
  }

  private boolean cut(PaidArray array, Reader to) {
    if (cutter.cut() == 0) {
      return grow(array, to);
    }
    filling = null;
    Part whole = new Part(array, cutter.cut());
    leaveRest(whole, array);
    cutter.restart();
    ready = whole;
    return true;
  }

  /** What follows a cut is the first of what is taken next. */
  private void leaveRest(Part part, PaidArray array) {
    if (array.length() > part.length) {
      decoded.addFirst(new Piece(array.buffer().skipBytes(part.length), part));
    } else {
      part.back();
    }
  }

  /** An item is longer than the array. */
  private boolean grow(PaidArray array, Reader to) {
    int most = (int) Math.min(Integer.MAX_VALUE / 2, window.limit() / ITEM_SHARE);
    if (array.capacity() >= most) {
      tooLong(to, array.capacity());
      return false;
    }
    return array.tryGrow((int) Math.min(2L * array.capacity(), most))
        || waits(to, array.capacity());
  }

  private boolean finish(Reader to) {
    PaidArray last = filling;
    if (last != null && last.length() > 0) {
      filling = null;
      Part whole = new Part(last, last.length());
      whole.back();
      ready = whole;
      return true;
    }
    drop();
    to.complete();
    return false;
  }

  private void unfit(Reader to, String why) {
    drop();
    to.unfit(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE.code(), why);
  }

  // The end.

  /** Nothing more of it is wanted: what comes is thrown away. */
  void discard() {
    drop();
    exchange.connection().resumeForBody(exchange);
  }

  /** The rest of it will not come. */
  void leave() {
    if (over) {
      return;
    }
    drop();
    lost = true;
    if (reader != null) {
      reader.gone();
    }
  }

  /** Lets go of all that no section holds. */
  private void drop() {
    if (over) {
      return;
    }
    over = true;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    decoded.forEach(Piece::release);
    decoded.clear();
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
    if (filling != null) {
      filling.free();
      filling = null;
    }
    if (ready != null) {
      ready.free();
      ready = null;
    }
    window.close();
  }

  /** Some items in an array, held by whoever works on them, and by what follows them in it. */
  private final class Part implements Section {
    private final int length;
    private final int items;
    private final int lines;
    private @Nullable PaidArray array;
    private int holders = 2;
    private boolean told;
    private boolean read;

    Part(@Nullable PaidArray array, int length) {
      this.array = array;
      this.length = length;
      this.items = cutter.items();
      this.lines = cutter.lines();
    }

    @Override
    public ByteBuffer bytes() {
      PaidArray held = array;
      return (held == null ? gathered.bytes() : held.bytes()).slice(0, length);
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
    public void free() {
      if (told) {
        told = false;
        out--;
      }
      back();
      pump();
    }

    @Override
    public void abandon() {
      read = true;
      free();
    }

    /** One of its holders has let go. */
    private void back() {
      PaidArray held = array;
      if (--holders == 0 && held != null) {
        if (read) {
          held.abandon();
        } else {
          held.free();
        }
      }
    }
  }

  /** Decoded bytes that were not taken yet; owned. */
  private static final class Piece {
    private final ByteBuf bytes;
    private final @Nullable Part of;

    /**
     * Makes a piece.
     *
     * @param of where the bytes lie, behind its items; null where they are by themselves
     */
    Piece(ByteBuf bytes, @Nullable Part of) {
      this.bytes = bytes;
      this.of = of;
    }

    void release() {
      bytes.release();
      if (of != null) {
        of.back();
      }
    }
  }
}
