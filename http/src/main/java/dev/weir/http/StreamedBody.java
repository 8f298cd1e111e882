package dev.weir.http;

import dev.weir.model.BodyCutter;
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
final class StreamedBody implements BodySink, SectionedBody {
  private final Exchange exchange;
  private final GatheredBody gathered;
  private final BodyWindow window;
  private final BodyCutter cutter;
  private final StreamTerms terms;
  private final Part first;

  /** As it came. */
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);

  /** Decoded, for the array that is filled or the next one. */
  private final ArrayDeque<DecodedPiece> decoded = new ArrayDeque<>(3);

  private @Nullable Decompressor decoder;
  private @Nullable SharedArray filling;
  private @Nullable Part ready;
  private @Nullable Reader reader;
  private @Nullable Throwable broken;
  private long taken;

  /** Where in the array that is filled the next section begins. */
  private int from;

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
      StreamTerms terms,
      BodyCutter cutter) {
    this.exchange = exchange;
    this.gathered = gathered;
    this.window = window;
    this.terms = terms;
    this.cutter = cutter;
    this.first = new Part(null, 0, cutter);
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
  static @Nullable StreamedBody begin(
      Exchange exchange,
      GatheredBody gathered,
      ByteBuf rest,
      StreamTerms terms,
      BodyBudget budget,
      BodyCutter cutter) {
    BodyWindow window =
        cutter.cut() == 0
            ? null
            : BodyWindow.open(budget, exchange.connection().promises(), terms.window());
    if (window == null) {
      return null;
    }
    StreamedBody body = new StreamedBody(exchange, gathered, window, terms, cutter);
    body.decoded.add(new DecodedPiece(rest.retainedSlice(), null));
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
    SharedArray begun = new SharedArray(gathered.takeGathered());
    first.liesIn(begun);
    filling = begun;
    taken = (long) begun.array().length() + rest().readableBytes();
    cutFrom(first.length);
    pump();
  }

  @Override
  public void next() {
    wanted = true;
    pump();
  }

  @Override
  public void later(Duration delay, Runnable action) {
    exchange.connection().loop().schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** What did not fit into what was gathered, for a node; borrowed. */
  ByteBuf rest() {
    return decoded.element().bytes();
  }

  boolean started() {
    return reader != null;
  }

  /** What was found instead of the rest, which will not come; null for nothing of that kind. */
  @Nullable Throwable brokenBy() {
    return broken;
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
  public boolean broken(Throwable why) {
    if (over) {
      return false;
    }
    drop();
    broken = why;
    if (reader != null) {
      reader.unfit(HttpResponseStatus.BAD_REQUEST.code(), String.valueOf(why.getMessage()));
    }
    return true;
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
      told.unfit(
          HttpResponseStatus.BAD_REQUEST.code(),
          e instanceof UnchangeableBodyException unchangeable
              ? unchangeable.why()
              : "got a body that is not what its content-encoding says: " + e.getMessage());
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
    if (filling != null && (filling.array().room() == 0 || cutter.full())) {
      return cut(filling, to);
    }
    DecodedPiece next = decoded.peek();
    if (next != null) {
      return take(next, to);
    }
    ByteBuf come = decode();
    if (come == null) {
      return complete && finish(to);
    }
    decoded.add(new DecodedPiece(come, null));
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

  private boolean take(DecodedPiece piece, Reader to) {
    if (filling == null) {
      PaidArray empty = new PaidArray(window);
      if (!empty.tryGrow(terms.section())) {
        return waits(to, terms.section());
      }
      filling = new SharedArray(empty);
      cutFrom(0);
    }
    PaidArray array = filling.array();
    ByteBuf bytes = piece.bytes();
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

  private boolean cut(SharedArray filled, Reader to) {
    int end = cutter.cut();
    if (end > from) {
      ready = new Part(filled, from, cutter);
      cutFrom(end);
    } else if (from == 0) {
      return grow(filled.array(), to);
    } else {
      moveOn(filled);
    }
    return true;
  }

  /** The next section begins there. */
  private void cutFrom(int next) {
    from = next;
    cutter.restart(next);
    if (filling != null) {
      cutter.read(filling.array().array(), filling.array().length());
    }
  }

  /** What follows the last whole item of an array is the first of what is taken next. */
  private void moveOn(SharedArray filled) {
    filling = null;
    if (filled.array().length() > from) {
      decoded.addFirst(new DecodedPiece(filled.array().buffer().skipBytes(from), filled));
    } else {
      filled.letGo();
    }
  }

  /** An item is longer than the array. */
  private boolean grow(PaidArray array, Reader to) {
    int most = (int) terms.longestItem();
    if (array.capacity() >= most) {
      tooLong(to, array.capacity());
      return false;
    }
    return array.tryGrow((int) Math.min(2L * array.capacity(), most))
        || waits(to, array.capacity());
  }

  private boolean finish(Reader to) {
    SharedArray last = filling;
    if (last != null && last.array().length() > from) {
      ready = new Part(last, from, last.array().length() - from, cutter);
      from = last.array().length();
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
    decoded.forEach(DecodedPiece::release);
    decoded.clear();
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
    if (filling != null) {
      filling.letGo();
      filling = null;
    }
    if (ready != null) {
      ready.free();
      ready = null;
    }
    window.close();
  }

  /** Some items in an array, which is held until they are given back. */
  private final class Part implements Section {
    private final int start;
    private final int length;
    private final int items;
    private final int lines;
    private @Nullable SharedArray array;
    private boolean told;
    private boolean read;
    private boolean back;

    /** The items up to the cut. */
    Part(@Nullable SharedArray array, int start, BodyCutter read) {
      this(array, start, read.cut() - start, read);
    }

    /**
     * Makes a part.
     *
     * @param array null for what was gathered
     */
    Part(@Nullable SharedArray array, int start, int length, BodyCutter read) {
      this.array = array == null ? null : array.hold();
      this.start = start;
      this.length = length;
      this.items = read.items();
      this.lines = read.lines();
    }

    /** What was gathered lies there now. */
    void liesIn(SharedArray now) {
      array = now.hold();
      if (back) {
        letGo(array);
      }
    }

    @Override
    public ByteBuffer bytes() {
      SharedArray held = array;
      return (held == null ? gathered.bytes() : held.array().bytes()).slice(start, length);
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
      back = true;
      if (array != null) {
        letGo(array);
      }
      pump();
    }

    @Override
    public void abandon() {
      read = true;
      free();
    }

    private void letGo(SharedArray held) {
      if (read) {
        held.abandon();
      } else {
        held.letGo();
      }
    }
  }
}
