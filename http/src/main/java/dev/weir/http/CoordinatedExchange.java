package dev.weir.http;

import dev.weir.model.BodyCutter;
import dev.weir.model.BodyStreaming;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.SectionedBody;
import dev.weir.model.StreamedReply;
import dev.weir.model.Trace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request as the coordinating rooms see it: whole, with its body gathered, or with the beginning
 * of a body that is worked on while it comes. Owns the body. Confined to its event loop, to which
 * answers that come from elsewhere are moved.
 */
final class CoordinatedExchange implements HttpExchange, GatheredBody.Reader {

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatedExchange.class);

  /** What may be kept of a coded body as it came, as a part of what may be gathered. */
  private static final int KEPT_SHARE = 4;

  private static final int UNAVAILABLE = 503;

  private final Exchange exchange;
  private final HttpRequest request;
  private final RequestMemory memory;
  private final GatheredBody body;
  private final BodyBudget budget;
  private final boolean outgrows;
  private final @Nullable BodyStreaming streaming;
  private @Nullable BodyCutter cutter;
  private @Nullable StreamedBody streamed;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final FirstAnswer first = new FirstAnswer();
  private @Nullable ChangedBody changed;
  private boolean lost;
  private boolean handed;
  private boolean settled;
  private boolean kept;
  private boolean over;
  private boolean gone;

  /**
   * Starts to gather.
   *
   * @param announced the body's length as sent; negative when unknown
   * @param most bytes that are gathered, decoded
   * @param outgrows whether a longer body goes to a node; otherwise it is refused
   * @param streaming how a longer body is worked on while it comes; null for not at all
   */
  CoordinatedExchange(
      Exchange exchange,
      long announced,
      int most,
      boolean outgrows,
      @Nullable BodyStreaming streaming) {
    this.exchange = exchange;
    this.request = exchange.request();
    this.outgrows = outgrows;
    this.streaming = streaming;
    ClientConnection connection = exchange.connection();
    BodyBudget all = connection.desk().budget();
    this.memory =
        all.open(
            request.method().name(),
            request.uri(),
            exchange.tenant(),
            RequestHeads.opaqueId(request),
            exchange.entry().destination().policy());
    this.budget = memory.bounded() ? new RequestBody(memory, all) : all;
    HttpHeaders headers = request.headers();
    BodyChange change = exchange.entry().change();
    KeptOriginal original =
        outgrows && change == null ? KeptOriginal.of(headers, budget, most / KEPT_SHARE) : null;
    Decompressor decoder = ContentDecoding.open(headers, connection.allocator());
    if (change != null && streaming != null) {
      decoder = ChangingDecoder.of(decoder, change, headers, connection.allocator());
    }
    this.body = new GatheredBody(this, budget, most, announced, decoder, original);
  }

  /**
   * Pays for the body as announced.
   *
   * @return the bytes for which there is no room; 0 when there is
   */
  long reserve() {
    return body.reserve(exchange.connection().promises());
  }

  BodySink sink() {
    return body;
  }

  // What becomes of the body.

  @Override
  public void onBody() {
    HttpHeaders headers = request.headers();
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    if (!headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length()));
    }
    hand();
  }

  private void hand() {
    handed = true;
    guarded(() -> {
      Destination settled = exchange.entry().destination().settled(this);
      go(settled == null ? null : exchange.entry().sentTo(settled));
    });
  }

  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) { // also for want of memory: nobody else would give the body back
      LOG.error("handler failed on {} {}", method(), uri(), e);
      kept = true;
      settle();
      first.release();
      if (exchange.open()) {
        exchange.refuse(new ErrorBody(500, "exception", String.valueOf(e)), Map.of());
      } else if (!exchange.answered()) {
        exchange.breakOff(); // it was on its way to a node
      }
    }
  }

  /** Passed through, nobody answered, and it goes to another place. */
  void goOn(RequestRouter.Way way) {
    settled = false;
    lost = false;
    guarded(() -> go(way));
  }

  /** Goes to where its entry says by now; null for the way that it came. */
  private void go(RequestRouter.@Nullable Way way) {
    ErrorBody why = streaming == null ? become(exchange.entry().change()) : null;
    if (why != null) {
      settle();
      exchange.respond(first.orBetter(why.reply(Map.of(), RequestHeads.pretty(uri()))));
    } else if (way instanceof RequestRouter.PassThrough through) {
      relay(through);
    } else {
      exchange.entry().destination().handler().handle(this);
    }
  }

  /** Has the body, which is whole, changed; why that can't be, or null. */
  private @Nullable ErrorBody become(@Nullable BodyChange change) {
    if (change == null && changed == null) {
      return null;
    }
    if (changed == null) {
      changed = new ChangedBody(budget, exchange.connection().allocator());
    }
    ErrorBody why = changed.become(change, body.bytes());
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body().remaining()));
    return why;
  }

  @Override
  public int onFull(int most) {
    if (streaming == null || !outgrows) {
      return 0;
    }
    BodyCutter by = cutter == null ? streaming.cutter() : cutter;
    cutter = by;
    body.readBy(by);
    int longest = exchange.connection().options().limits().maxContentBytes();
    return by.cut() > 0
        ? 0
        : (int)
            Math.max(
                most, Math.min(longest, StreamTerms.of(streaming, budget.limit()).longestItem()));
  }

  @Override
  public void onTooLong(ByteBuf rest) {
    StreamedBody begun =
        streaming == null || cutter == null
            ? null
            : StreamedBody.begin(
                exchange, body, rest, StreamTerms.of(streaming, budget.limit()), budget, cutter);
    if (begun != null) {
      streamed = begun;
      exchange.streamTo(begun);
      hand();
    } else if (outgrows) {
      OutgrownBody outgrown = body.outgrow(request.headers(), rest, this::onCorrupt);
      BodyChange change = streaming == null ? exchange.entry().change() : null;
      exchange.relay(
          exchange.entry().large(), change == null ? outgrown : outgrown.changed(exchange, change));
    } else {
      exchange.refuseTooLong();
    }
  }

  @Override
  public void onNoRoom(long wanted) {
    MemoryRefusal refused = body.refusal();
    if (refused != null) {
      exchange.tally().numbered(memory.turnedAway(refused));
    }
    exchange.refuse(
        Refusals.noRoom(refused, budget, wanted),
        refused == null || !refused.lasting() ? Refusals.RETRY_SOON : Map.of());
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    exchange.corrupt(failure);
  }

  /** The client goes, and has no answer, or a part of it: who works for it is told. */
  void left() {
    over = true;
    gone = true;
    if (streamed != null) {
      streamed.leave();
    }
    if (handed) {
      List<Runnable> actions = List.copyOf(onDisconnect); // one of them may end the exchange
      onDisconnect.clear();
      actions.forEach(Runnable::run);
    }
  }

  /**
   * The exchange is over.
   *
   * @param complete whether an answer reached the client
   * @param relayed whether the body went to a node
   */
  void over(boolean complete, boolean relayed) {
    over = true;
    if (streamed != null) {
      streamed.leave();
    }
    onDisconnect.clear();
    if (!handed) {
      body.free();
    } else if (settled || relayed) {
      giveBodyBack(complete && !relayed && !kept);
    } // else the handler is at work: it is paid for until that has ended
  }

  /** What may still be read is not used again. */
  private void giveBodyBack(boolean unread) {
    if (changed != null) {
      changed.abandon();
    }
    if (unread) {
      body.free();
    } else {
      body.abandon();
    }
  }

  /** The handler's work has ended. */
  private void settle() {
    settled = true;
    if (streamed != null) {
      streamed.discard();
    }
    if (over) {
      giveBodyBack(false);
    }
  }

  // HttpExchange.

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String uri() {
    return request.uri();
  }

  @Override
  public String askedUri() {
    return exchange.entry().askedUri();
  }

  @Override
  public String protocolVersion() {
    return exchange.protocol();
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    return request.headers().entries();
  }

  @Override
  public ByteBuffer body() {
    return streamed == null && changed != null ? changed.or(body.bytes()) : askedBody();
  }

  @Override
  public ByteBuffer askedBody() {
    return streamed == null ? body.bytes() : streamed.first().bytes();
  }

  @Override
  public @Nullable SectionedBody sections() {
    return streamed;
  }

  @Override
  public String tenant() {
    return exchange.tenant();
  }

  @Override
  public Trace trace() {
    return exchange.tally().trace();
  }

  @Override
  public RequestPolicy policy() {
    return exchange.entry().destination().policy();
  }

  @Override
  public long arrivedNanos() {
    return exchange.arrivedNanos();
  }

  @Override
  public RequestMemory memory() {
    return memory;
  }

  @Override
  public SocketAddress remoteAddress() {
    return exchange.connection().remoteAddress();
  }

  @Override
  public SocketAddress localAddress() {
    return exchange.connection().localAddress();
  }

  @Override
  public Executor home() {
    return exchange.connection().loop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (!over) {
      onDisconnect.add(action);
    } else if (gone) {
      action.run();
    }
  }

  @Override
  public void numbered(long id) {
    memory.numbered(id);
    exchange.tally().numbered(id);
  }

  @Override
  public void lostNodes() {
    lost = true;
  }

  @Override
  public void respond(HttpReply reply) {
    if (!exchange.connection().loop().inEventLoop()) {
      home().execute(() -> respond(reply));
      return;
    }
    if ((lost || reply.status() == UNAVAILABLE) && goesElsewhere(reply)) {
      return;
    }
    HttpReply best = first.orBetter(reply);
    settle();
    exchange.respond(best);
  }

  /** Nodes are gone: perhaps another place has an answer. */
  private boolean goesElsewhere(HttpReply reply) {
    RequestRouter.Way way =
        over || first.there() || streamed != null ? null : exchange.entry().elsewhere(UNAVAILABLE);
    if (way == null) {
      return false;
    }
    first.keep(reply);
    lost = false;
    home().execute(() -> guarded(() -> again(way)));
    return true;
  }

  private void again(RequestRouter.Way way) {
    if (over) { // its client left meanwhile: nobody works for it any more
      first.release();
      settle();
    } else {
      go(way);
    }
  }

  @Override
  public void respond(StreamedReply reply) {
    first.release();
    settle();
    exchange.respond(reply);
  }

  @Override
  public void passThrough(String reason) {
    if (!exchange.connection().loop().inEventLoop()) {
      home().execute(() -> passThrough(reason));
      return;
    }
    if (over) {
      first.release();
      settle();
      return;
    }
    relay(exchange.entry().destination().router().late(method(), uri(), reason));
  }

  private void relay(RequestRouter.PassThrough way) {
    first.release();
    settled = true;
    if (streamed != null) {
      passOn(streamed, way);
      return;
    }
    ByteBuffer bytes = body();
    ByteBuf whole = bytes.hasRemaining() ? Unpooled.wrappedBuffer(bytes) : Unpooled.EMPTY_BUFFER;
    exchange.relay(way, whole);
  }

  /** The beginning goes to a node as it was gathered, and the rest as it comes. */
  private void passOn(StreamedBody begun, RequestRouter.PassThrough way) {
    if (begun.started()) {
      throw new IllegalStateException(
          "got a request of whose body parts were taken (expected: to pass through before)");
    }
    begun.collect();
    Throwable broken = begun.brokenBy();
    if (broken != null) {
      settle();
      exchange.refuse(ErrorBody.undecodable(broken), Map.of());
      return;
    }
    OutgrownBody onward = body.outgrow(request.headers(), begun.rest(), this::onCorrupt);
    exchange.relay(way, onward);
    begun.passOn(onward);
  }

  @Override
  public void drop() {
    if (exchange.connection().loop().inEventLoop()) {
      first.release();
      settle();
    } else {
      home().execute(this::drop);
    }
  }

  @Override
  public void keepBody() {
    kept = true;
  }
}
