package dev.weir.http;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.BodyStreamingOptions;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestTrace;
import dev.weir.model.SectionedBody;
import dev.weir.model.StreamingResponse;
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
final class CoordinatedExchange implements HttpExchange, BufferedBody.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatedExchange.class);

  /** What may be kept of a coded body as it came, as a part of what may be gathered. */
  private static final int COPY_LIMIT_DIVISOR = 4;

  private static final int UNAVAILABLE = 503;

  private final ClientExchange exchange;
  private final HttpRequest request;
  private final RequestMemory memory;
  private final BufferedBody body;
  private final BodyBudget budget;
  private final boolean maySpillOver;
  private final @Nullable BodyStreamingOptions streaming;
  private @Nullable BodySectionSplitter bodyCutter;
  private @Nullable StreamedBody streamed;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final FallbackResponse fallback = new FallbackResponse();
  private @Nullable TransformedBody transformed;
  private boolean nodesLost;
  private boolean dispatched;
  private boolean handlerDone;
  private boolean bodyRetained;
  private boolean ended;
  private boolean clientDisconnected;

  /**
   * Starts to gather.
   *
   * @param announced the body's length as sent; negative when unknown
   * @param most bytes that are gathered, decoded
   * @param outgrows whether a longer body goes to a node; otherwise it is refused
   * @param streaming how a longer body is worked on while it comes; null for not at all
   */
  CoordinatedExchange(
      ClientExchange exchange,
      long announced,
      int most,
      boolean outgrows,
      @Nullable BodyStreamingOptions streaming) {
    this.exchange = exchange;
    this.request = exchange.request();
    this.maySpillOver = outgrows;
    this.streaming = streaming;
    ClientConnection connection = exchange.connection();
    BodyBudget all = connection.environment().bodyBudget();
    this.memory =
        all.open(
            request.method().name(),
            request.uri(),
            exchange.tenant(),
            HttpHeaderRules.opaqueId(request),
            exchange.intake().destination().policy());
    this.budget = memory.isBounded() ? new RequestBodyBudget(memory, all) : all;
    HttpHeaders headers = request.headers();
    BodyTransformer change = exchange.intake().bodyTransformer();
    EncodedBodyCopy original =
        outgrows && change == null
            ? EncodedBodyCopy.of(headers, budget, most / COPY_LIMIT_DIVISOR)
            : null;
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, connection.allocator());
    if (change != null && streaming != null) {
      decoder = TransformingDecompressor.of(decoder, change, headers, connection.allocator());
    }
    this.body = new BufferedBody(this, budget, most, announced, decoder, original);
  }

  /**
   * Pays for the body as announced.
   *
   * @return the bytes for which there is no room; 0 when there is
   */
  long reserve() {
    return body.reserve(exchange.connection().pendingBodies());
  }

  BodySink sink() {
    return body;
  }

  // What becomes of the body.

  @Override
  public void onBodyComplete() {
    HttpHeaders headers = request.headers();
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    if (!headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length()));
    }
    dispatch();
  }

  private void dispatch() {
    dispatched = true;
    runGuarded(() -> {
      Destination settled = exchange.intake().destination().resolveByBody(this);
      follow(settled == null ? null : exchange.intake().routeTo(settled));
    });
  }

  private void runGuarded(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) { // also for want of memory: nobody else would give the body back
      LOG.error("handler failed on {} {}", method(), uri(), e);
      bodyRetained = true;
      onHandlerDone();
      fallback.release();
      if (exchange.canRespond()) {
        exchange.rejectWith(new ErrorBody(500, "exception", String.valueOf(e)), Map.of());
      } else if (!exchange.hasResponse()) {
        exchange.abortResponse(); // it was on its way to a node
      }
    }
  }

  /** Passed through, nobody answered, and it goes to another place. */
  void continueOn(RequestRouter.Decision way) {
    handlerDone = false;
    nodesLost = false;
    runGuarded(() -> follow(way));
  }

  /** Goes to where its entry says by now; null for the way that it came. */
  private void follow(RequestRouter.@Nullable Decision way) {
    ErrorBody why = streaming == null ? transformBody(exchange.intake().bodyTransformer()) : null;
    if (why != null) {
      onHandlerDone();
      exchange.respond(
          fallback.chooseBetter(why.toReply(Map.of(), HttpHeaderRules.isPretty(uri()))));
    } else if (way instanceof RequestRouter.PassThrough through) {
      proxy(through);
    } else {
      exchange.intake().destination().handler().handle(this);
    }
  }

  /** Has the body, which is whole, changed; why that can't be, or null. */
  private @Nullable ErrorBody transformBody(@Nullable BodyTransformer change) {
    if (change == null && transformed == null) {
      return null;
    }
    if (transformed == null) {
      transformed = new TransformedBody(budget, exchange.connection().allocator());
    }
    ErrorBody why = transformed.transform(change, body.bytes());
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body().remaining()));
    return why;
  }

  @Override
  public int onBufferFull(int most) {
    if (streaming == null || !maySpillOver) {
      return 0;
    }
    BodySectionSplitter by = bodyCutter == null ? streaming.newSplitter() : bodyCutter;
    bodyCutter = by;
    body.feed(by);
    int longest = exchange.connection().options().limits().maxContentBytes();
    return by.sectionEnd() > 0
        ? 0
        : (int)
            Math.max(
                most,
                Math.min(
                    longest, BodyStreamLimits.negotiate(streaming, budget.limit()).maxItemBytes()));
  }

  @Override
  public void onTooLong(ByteBuf rest) {
    StreamedBody begun =
        streaming == null || bodyCutter == null
            ? null
            : StreamedBody.tryStart(
                exchange,
                body,
                rest,
                BodyStreamLimits.negotiate(streaming, budget.limit()),
                budget,
                bodyCutter);
    if (begun != null) {
      streamed = begun;
      exchange.redirectBodyTo(begun);
      dispatch();
    } else if (maySpillOver) {
      SpilloverBody outgrown = body.toSpilloverBody(request.headers(), rest, this::onCorrupt);
      BodyTransformer change = streaming == null ? exchange.intake().bodyTransformer() : null;
      exchange.proxy(
          exchange.intake().oversizedBodyRoute(),
          change == null ? outgrown : outgrown.withTransformer(exchange, change));
    } else {
      exchange.rejectTooLong();
    }
  }

  @Override
  public void onNoRoom(long wanted) {
    MemoryRejection refused = body.memoryRefusal();
    if (refused != null) {
      exchange.logBuilder().setId(memory.recordBodyRejection(refused));
    }
    exchange.rejectWith(
        RejectionResponses.memoryExceeded(refused, budget, wanted),
        refused == null || !refused.permanent()
            ? RejectionResponses.RETRY_AFTER_HEADERS
            : Map.of());
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    exchange.onCorruptBody(failure);
  }

  /** The client goes, and has no answer, or a part of it: who works for it is told. */
  void onClientDisconnected() {
    ended = true;
    clientDisconnected = true;
    if (streamed != null) {
      streamed.close();
    }
    if (dispatched) {
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
  void onExchangeEnded(boolean complete, boolean relayed) {
    ended = true;
    if (streamed != null) {
      streamed.close();
    }
    onDisconnect.clear();
    if (!dispatched) {
      body.release();
    } else if (handlerDone || relayed) {
      releaseBody(complete && !relayed && !bodyRetained);
    } // else the handler is at work: it is paid for until that has ended
  }

  /** What may still be read is not used again. */
  private void releaseBody(boolean unread) {
    if (transformed != null) {
      transformed.leaveToGarbageCollector();
    }
    if (unread) {
      body.release();
    } else {
      body.leaveToGarbageCollector();
    }
  }

  /** The handler's work has ended. */
  private void onHandlerDone() {
    handlerDone = true;
    if (streamed != null) {
      streamed.discard();
    }
    if (ended) {
      releaseBody(false);
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
  public String originalUri() {
    return exchange.intake().originalUri();
  }

  @Override
  public String protocolVersion() {
    return exchange.protocolVersion();
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    return request.headers().entries();
  }

  @Override
  public ByteBuffer body() {
    return streamed == null && transformed != null
        ? transformed.orOriginal(body.bytes())
        : originalBody();
  }

  @Override
  public ByteBuffer originalBody() {
    return streamed == null ? body.bytes() : streamed.firstSection().bytes();
  }

  @Override
  public @Nullable SectionedBody sectionedBody() {
    return streamed;
  }

  @Override
  public String tenant() {
    return exchange.tenant();
  }

  @Override
  public RequestTrace trace() {
    return exchange.logBuilder().trace();
  }

  @Override
  public RequestPolicy policy() {
    return exchange.intake().destination().policy();
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
  public Executor eventLoop() {
    return exchange.connection().eventLoop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (!ended) {
      onDisconnect.add(action);
    } else if (clientDisconnected) {
      action.run();
    }
  }

  @Override
  public void assignTaskId(long id) {
    memory.assignTaskId(id);
    exchange.logBuilder().setId(id);
  }

  @Override
  public void markIncomplete() {
    nodesLost = true;
  }

  @Override
  public void respond(BufferedResponse reply) {
    if (!exchange.connection().eventLoop().inEventLoop()) {
      eventLoop().execute(() -> respond(reply));
      return;
    }
    if ((nodesLost || reply.status() == UNAVAILABLE) && tryFailover(reply)) {
      return;
    }
    BufferedResponse best = fallback.chooseBetter(reply);
    onHandlerDone();
    exchange.respond(best);
  }

  /** Nodes are gone: perhaps another place has an answer. */
  private boolean tryFailover(BufferedResponse reply) {
    RequestRouter.Decision way =
        ended || fallback.isPresent() || streamed != null
            ? null
            : exchange.intake().failOver(UNAVAILABLE);
    if (way == null) {
      return false;
    }
    fallback.keep(reply);
    nodesLost = false;
    eventLoop().execute(() -> runGuarded(() -> retryOn(way)));
    return true;
  }

  private void retryOn(RequestRouter.Decision way) {
    if (ended) { // its client left meanwhile: nobody works for it any more
      fallback.release();
      onHandlerDone();
    } else {
      follow(way);
    }
  }

  @Override
  public void respond(StreamingResponse reply) {
    fallback.release();
    onHandlerDone();
    exchange.respond(reply);
  }

  @Override
  public void passThrough(String reason) {
    if (!exchange.connection().eventLoop().inEventLoop()) {
      eventLoop().execute(() -> passThrough(reason));
      return;
    }
    if (ended) {
      fallback.release();
      onHandlerDone();
      return;
    }
    proxy(exchange.intake().destination().router().routeAfterBody(method(), uri(), reason));
  }

  private void proxy(RequestRouter.PassThrough way) {
    fallback.release();
    handlerDone = true;
    if (streamed != null) {
      spillOver(streamed, way);
      return;
    }
    ByteBuffer bytes = body();
    ByteBuf whole = bytes.hasRemaining() ? Unpooled.wrappedBuffer(bytes) : Unpooled.EMPTY_BUFFER;
    exchange.proxy(way, whole);
  }

  /** The beginning goes to a node as it was gathered, and the rest as it comes. */
  private void spillOver(StreamedBody begun, RequestRouter.PassThrough way) {
    if (begun.isStarted()) {
      throw new IllegalStateException(
          "got a request of whose body parts were taken (expected: to pass through before)");
    }
    begun.drainConnection();
    Throwable broken = begun.failureCause();
    if (broken != null) {
      onHandlerDone();
      exchange.rejectWith(ErrorBody.ofDecodingFailure(broken), Map.of());
      return;
    }
    SpilloverBody onward =
        body.toSpilloverBody(request.headers(), begun.unbufferedRest(), this::onCorrupt);
    exchange.proxy(way, onward);
    begun.transferTo(onward);
  }

  @Override
  public void drop() {
    if (exchange.connection().eventLoop().inEventLoop()) {
      fallback.release();
      onHandlerDone();
    } else {
      eventLoop().execute(this::drop);
    }
  }

  @Override
  public void retainBody() {
    bodyRetained = true;
  }
}
