package dev.weir.gateway.admin;

import dev.weir.observe.admin.AdminResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the requests of one admin connection one by one, on its event loop. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminHandler.class);

  private final AdminRouter site;
  private final Executor pageExecutor;

  AdminHandler(AdminRouter site, Executor pages) {
    this.site = site;
    this.pageExecutor = pages;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    String method = request.method().name();
    String uri = request.uri();
    int mark = uri.indexOf('?');
    String path = mark < 0 ? uri : uri.substring(0, mark);
    boolean head = request.method().equals(HttpMethod.HEAD);
    boolean keepAlive = request.decoderResult().isSuccess() && HttpUtil.isKeepAlive(request);
    // read the next request only after the response to this one
    context.channel().config().setAutoRead(false);
    try {
      AdminRequest parsed =
          new AdminRequest(head ? "GET" : method, path, parseQuery(uri), request.headers());
      pageExecutor.execute(() -> send(context, respond(parsed), head, keepAlive));
    } catch (RejectedExecutionException stopping) {
      context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOGGER.debug("admin connection of {} failed", context.channel().remoteAddress(), cause);
    context.close();
  }

  private AdminResponse respond(AdminRequest parsed) {
    try {
      return site.respond(parsed);
    } catch (RuntimeException e) {
      LOGGER.error("admin page {} {} failed", parsed.method(), parsed.path(), e);
      return AdminResponse.text(500, "the page failed; the log has the cause\n");
    }
  }

  private static Map<String, String> parseQuery(String uri) {
    Map<String, String> query = new HashMap<>();
    new QueryStringDecoder(uri)
        .parameters()
        .forEach((name, values) -> query.put(name, values.getFirst()));
    return query;
  }

  private static void send(
      ChannelHandlerContext context, AdminResponse reply, boolean head, boolean keepAlive) {
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    ByteBuf content = head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), content);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set("X-Content-Type-Options", "nosniff")
        .set("Cross-Origin-Resource-Policy", "same-origin")
        .set("Referrer-Policy", "no-referrer");
    if (reply.status() != HttpResponseStatus.NOT_MODIFIED.code()) {
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    }
    reply.headers().forEach((name, value) -> response.headers().set(name, value));
    HttpUtil.setKeepAlive(response, keepAlive);
    var sent = context.writeAndFlush(response);
    if (keepAlive) {
      sent.addListener(ignored -> context.channel().config().setAutoRead(true));
    } else {
      sent.addListener(ChannelFutureListener.CLOSE);
    }
  }
}
