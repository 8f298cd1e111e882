package dev.weir.http.exchange;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.body.BodySink;
import dev.weir.http.body.BodyStreamLimits;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.BufferedBody;
import dev.weir.http.body.DecompressorFactory;
import dev.weir.http.body.EncodedBodyCopy;
import dev.weir.http.body.RequestBodyBudget;
import dev.weir.http.body.SpilloverBody;
import dev.weir.http.body.StreamedBody;
import dev.weir.http.body.TransformedBody;
import dev.weir.http.body.TransformingDecompressor;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import dev.weir.http.intake.RequestRoute;
import dev.weir.model.BodySectionSplitter;
import dev.weir.model.BodyStreamingOptions;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestRouter;
import dev.weir.model.SectionedBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The body of a coordinated request. Buffers it; a longer one is processed in sections while it
 * arrives, or spills over to a node, or is rejected. Owned by a {@link CoordinatedExchange} and
 * confined to its event loop.
 */
final class CoordinatedBody implements BufferedBody.Listener {

  /** The part of the buffer's size up to which a compressed body is kept beside the decoded one. */
  private static final int COPY_LIMIT_DIVISOR = 4;

  private final RequestRoute route;
  private final ExchangeChannel channel;
  private final CoordinatedResponder responder;
  private final HttpRequest request;
  private final RequestMemory memory;
  private final BodyBudget budget;
  private final BufferedBody buffered;
  private final boolean maySpillOver;
  private final @Nullable BodyStreamingOptions streaming;
  private Runnable onReady = CoordinatedBody::failUnreserved;
  private @Nullable BodySectionSplitter splitter;
  private @Nullable StreamedBody streamed;
  private @Nullable TransformedBody transformed;

  /**
   * Creates an empty body.
   *
   * @param announced the body's length as sent, in bytes; negative when unknown
   * @param max bytes to buffer at most, decoded
   * @param maySpillOver whether a longer body goes to a node; otherwise it is rejected
   * @param streaming how the handler processes a longer body while it arrives; null for not at all
   */
  CoordinatedBody(
      RequestRoute route,
      CoordinatedResponder responder,
      long announced,
      int max,
      boolean maySpillOver,
      @Nullable BodyStreamingOptions streaming) {
    this.route = route;
    this.channel = route.channel();
    this.responder = responder;
    this.request = route.request();
    this.maySpillOver = maySpillOver;
    this.streaming = streaming;
    BodyBudget all = route.bodyBudget();
    this.memory =
        all.open(
            request.method().name(),
            request.uri(),
            route.tenant(),
            HttpHeaderRules.opaqueId(request),
            route.destination().policy());
    this.budget = memory.isBounded() ? new RequestBodyBudget(memory, all) : all;
    HttpHeaders headers = request.headers();
    BodyTransformer transformer = route.bodyTransformer();
    EncodedBodyCopy original =
        maySpillOver && transformer == null
            ? EncodedBodyCopy.of(headers, budget, max / COPY_LIMIT_DIVISOR)
            : null;
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, channel.allocator());
    if (transformer != null && streaming != null) {
      decoder = TransformingDecompressor.of(decoder, transformer, headers, channel.allocator());
    }
    this.buffered = new BufferedBody(this, budget, max, announced, decoder, original);
  }

  /**
   * Reserves memory for the body as announced.
   *
   * @param ready runs once, when the body is complete or its first section is
   * @return the bytes that memory lacks; 0 when there is enough
   */
  long reserve(Runnable ready) {
    onReady = ready;
    return buffered.reserve(channel.pendingBodies());
  }

  private static void failUnreserved() {
    throw new IllegalStateException("body arrived before reserve() was called");
  }

  BodySink sink() {
    return buffered;
  }

  /** The account of the memory that the request holds. */
  RequestMemory memory() {
    return memory;
  }

  // Called by the handler.

  /** Returns the body, or its first section, transformed for the destination. */
  ByteBuffer bytes() {
    return streamed == null && transformed != null
        ? transformed.orOriginal(buffered.bytes())
        : originalBytes();
  }

  /** Returns the body, or its first section, as the client sent it. */
  ByteBuffer originalBytes() {
    return streamed == null ? buffered.bytes() : streamed.firstSection().bytes();
  }

  /** Returns the sections of a streamed body; null for a body that was buffered whole. */
  @Nullable SectionedBody sections() {
    return streamed;
  }

  /** Transforms a whole body for its destination; returns why it can't be transformed, or null. */
  @Nullable ErrorBody transform() {
    BodyTransformer transformer = streaming == null ? route.bodyTransformer() : null;
    if (transformer == null && transformed == null) {
      return null;
    }
    if (transformed == null) {
      transformed = new TransformedBody(budget, channel.allocator());
    }
    ErrorBody error = transformed.transform(transformer, buffered.bytes());
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(bytes().remaining()));
    return error;
  }

  // Buffering.

  @Override
  public void onBodyComplete() {
    HttpHeaders headers = request.headers();
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    if (!headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(buffered.length()));
    }
    onReady.run();
  }

  @Override
  public int onBufferFull(int max) {
    if (streaming == null || !maySpillOver) {
      return 0;
    }
    BodySectionSplitter used = splitter == null ? streaming.newSplitter() : splitter;
    splitter = used;
    buffered.feed(used);
    return used.sectionEnd() > 0
        ? 0
        : (int)
            Math.max(
                max,
                Math.min(
                    channel.maxContentBytes(),
                    BodyStreamLimits.negotiate(streaming, budget.limit()).maxItemBytes()));
  }

  @Override
  public void onTooLong(ByteBuf rest) {
    StreamedBody started =
        streaming == null || splitter == null
            ? null
            : StreamedBody.tryStart(
                channel,
                buffered,
                rest,
                BodyStreamLimits.negotiate(streaming, budget.limit()),
                budget,
                splitter);
    if (started != null) {
      streamed = started;
      responder.redirectBodyTo(started);
      onReady.run();
    } else if (maySpillOver) {
      spillOver(rest);
    } else {
      responder.rejectTooLong();
    }
  }

  /** Sends what was buffered to a node, and then the rest as it arrives, unless a check forbids. */
  private void spillOver(ByteBuf rest) {
    MemoryRejection forbidden = route.checkLargeBody(buffered.bytes());
    if (forbidden != null) {
      route.log().setId(memory.recordBodyRejection(forbidden));
      responder.reject(RejectionResponses.memoryExceeded(forbidden), Map.of());
    } else {
      SpilloverBody spillover = buffered.toSpilloverBody(request.headers(), rest);
      BodyTransformer transformer = streaming == null ? route.bodyTransformer() : null;
      responder.proxy(
          route.oversizedBodyRoute(),
          transformer == null
              ? spillover
              : spillover.withTransformer(transformer, request.headers(), channel.allocator()));
    }
  }

  @Override
  public void onNoRoom(long wanted) {
    MemoryRejection rejection = buffered.memoryRefusal();
    if (rejection != null) {
      route.log().setId(memory.recordBodyRejection(rejection));
    }
    responder.reject(
        RejectionResponses.memoryExceeded(rejection, budget.used() + wanted, budget.limit()),
        rejection == null || !rejection.permanent()
            ? RejectionResponses.RETRY_AFTER_HEADERS
            : Map.of());
  }

  @Override
  public ScheduledExecutorService eventLoop() {
    return channel.eventLoop();
  }

  @Override
  public void onTurnOver() {
    channel.pauseToDecode();
  }

  @Override
  public void onCaughtUp(boolean ended) {
    channel.resumeAfterDecoding();
    if (ended) {
      responder.onBodyEnd();
    }
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    responder.onCorrupt(failure);
  }

  @Override
  public void onProcessingFailure(Throwable failure) {
    responder.onProcessingFailure(failure);
  }

  // Passing through.

  /** Sends the body to a node after the handler has seen it, or its first section. */
  void proxy(RequestRouter.PassThrough decision) {
    if (streamed != null) {
      spillOver(streamed, decision);
      return;
    }
    ByteBuffer bytes = bytes();
    responder.proxy(
        decision, bytes.hasRemaining() ? Unpooled.wrappedBuffer(bytes) : Unpooled.EMPTY_BUFFER);
  }

  /** Sends what was buffered to a node, and then the rest as it arrives. */
  private void spillOver(StreamedBody started, RequestRouter.PassThrough decision) {
    if (started.isStarted()) {
      throw new IllegalStateException(
          "passThrough() called after the handler took sections of the body");
    }
    started.drainConnection();
    Throwable failure = started.failureCause();
    if (failure != null) {
      discardRest();
      responder.reject(ErrorBody.ofDecodingFailure(failure), Map.of());
      return;
    }
    SpilloverBody spillover = buffered.toSpilloverBody(request.headers(), started.unbufferedRest());
    responder.proxy(decision, spillover);
    started.transferTo(spillover);
  }

  // The end.

  /** Drops the rest of a body that still arrives and that the handler does not need. */
  void discardRest() {
    if (streamed != null) {
      streamed.discard();
    }
  }

  /** Called when the client disconnected. */
  void close() {
    if (streamed != null) {
      streamed.close();
    }
  }

  /** Releases a body that no handler got. */
  void releaseUnused() {
    buffered.release();
  }

  /**
   * Releases the body.
   *
   * @param unread whether nothing can read it any more, so that its memory may be reused
   */
  void release(boolean unread) {
    if (transformed != null) {
      transformed.leaveToGarbageCollector();
    }
    if (unread) {
      buffered.release();
    } else {
      buffered.leaveToGarbageCollector();
    }
  }
}
