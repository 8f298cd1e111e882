package dev.weir.http.exchange;

import dev.weir.http.body.BodyFailureListener;
import dev.weir.http.body.BodySink;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.GatheringBuffer;
import dev.weir.http.body.SpilloverBody;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.intake.RequestRoute;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the body of a request that passes through before the request takes a connection to a
 * node, so that slow clients hold none. A body that ends within the limit goes on whole; a longer
 * one, and one that memory lacks room for, streams from there on. A body whose client waits for
 * parts of the response streams from its first byte. Owned by the exchange, which calls {@link
 * #release} at its end. Confined to its event loop.
 */
final class GatheredBody implements BodySink {
  /** Bodies up to this size are written at once; a longer one at the pace of the node. */
  private static final int MAX_SINGLE_WRITE = 64 << 10;

  /** Sends the request on. */
  interface Listener extends BodyFailureListener {
    /**
     * Sends the request with its whole body.
     *
     * @param whole owned by the callee; the memory stays charged until {@link #release}
     */
    void proxy(RequestRouter.PassThrough decision, ByteBuf whole);

    /** Sends the request with a body of which more may follow; the callee owns it. */
    void proxy(RequestRouter.PassThrough decision, SpilloverBody body);
  }

  private final RequestRoute route;
  private final RequestRouter.PassThrough decision;
  private final Listener listener;
  private final @Nullable BodyTransformer transformer;
  private final GatheringBuffer gathered;

  /**
   * Creates an empty body.
   *
   * @param transformer changes the body on its way; null for none
   */
  GatheredBody(
      RequestRoute route,
      RequestRouter.PassThrough decision,
      Listener listener,
      @Nullable BodyTransformer transformer) {
    ExchangeChannel channel = route.channel();
    this.route = route;
    this.decision = decision;
    this.listener = listener;
    this.transformer = transformer;
    this.gathered =
        new GatheringBuffer(
            channel.connection().gatheredBodies(),
            decision.streamsBody() ? 0 : channel.options().clients().maxGatheredBytes());
  }

  @Override
  public void acceptContent(ByteBuf piece) {
    if (!gathered.tryAppend(piece)) {
      stream().acceptContent(piece);
    }
  }

  @Override
  public void complete() {
    if (transformer == null
        && gathered.length() <= MAX_SINGLE_WRITE
        && HttpHeaderRules.isPlainlyFramed(route.request())) {
      listener.proxy(decision, gathered.bytes());
    } else {
      stream().complete();
    }
  }

  /** Starts to send the body to a node, beginning with what was gathered. */
  private SpilloverBody stream() {
    SpilloverBody body =
        transformer == null
            ? SpilloverBody.ofGathered(listener)
            : SpilloverBody.ofTransformed(
                route.request().headers(),
                route.channel().allocator(),
                route.bodyBudget(),
                transformer,
                listener);
    listener.proxy(decision, body);
    ByteBuf rest = gathered.bytes();
    while (rest.isReadable()) {
      body.acceptContent(rest.readSlice(Math.min(MAX_SINGLE_WRITE, rest.readableBytes())));
    }
    return body;
  }

  /** Returns the memory to the budget. Something may still write the bytes. */
  void release() {
    gathered.release();
  }
}
