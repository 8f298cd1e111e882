package dev.weir.gateway.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that takes too long for a step: for a complete request (with a TLS handshake
 * before the first one), for the response, or between two requests. Confined to its event loop.
 */
final class AdminConnection extends ChannelInboundHandlerAdapter {
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);

  private final AdminConnections connections;
  private final Duration requestTimeout;
  private Step step = Step.REQUEST;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> timer;

  /** Legal moves: REQUEST, RESPONSE, IDLE, and again. */
  private enum Step {
    REQUEST,
    RESPONSE,
    IDLE
  }

  AdminConnection(AdminConnections connections, Duration requestTimeout) {
    this.connections = connections;
    this.requestTimeout = requestTimeout;
  }

  @Override
  public void channelActive(ChannelHandlerContext opened) {
    context = opened;
    connections.add(this);
    enter(Step.REQUEST, requestTimeout);
    opened.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) {
    if (step == Step.IDLE) {
      enter(Step.REQUEST, requestTimeout);
    }
    ctx.fireChannelRead(bytes);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connections.remove(this);
    stopTimer();
    ctx.fireChannelInactive();
  }

  /** Called with each complete request. */
  void onRequest() {
    connections.onRequest(this);
    enter(Step.RESPONSE, RESPONSE_TIMEOUT);
  }

  /** Called when the response has reached the operating system. */
  void onResponse() {
    connections.onResponse(this);
    enter(Step.IDLE, IDLE_TIMEOUT);
  }

  void close() {
    if (context != null) {
      context.close();
    }
  }

  private void enter(Step next, Duration timeout) {
    step = next;
    stopTimer();
    if (context != null && context.channel().isActive()) {
      timer = context.executor().schedule(this::close, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void stopTimer() {
    Future<?> running = timer;
    timer = null;
    if (running != null) {
      running.cancel(false);
    }
  }
}
