package dev.weir.gateway.admin;

import dev.weir.observe.admin.AdminResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
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
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the requests of one admin connection one by one, on its event loop. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminHandler.class);
  private static final AdminResponse MALFORMED_QUERY =
      AdminResponse.text(400, "got a query with a malformed % (expected: %25 for %)\n");

  private final AdminSite site;
  private final AuditLog audit;
  private final AdminConnection connection;
  private final Executor pageExecutor;

  AdminHandler(AdminSite site, AuditLog audit, AdminConnection connection, Executor pages) {
    this.site = site;
    this.audit = audit;
    this.connection = connection;
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
    connection.onRequest();
    // read the next request only after the response to this one
    context.channel().config().setAutoRead(false);
    Map<String, String> query = parseQuery(uri);
    if (query == null) {
      send(context, MALFORMED_QUERY, head, keepAlive);
      return;
    }
    try {
      AdminRequest parsed =
          new AdminRequest(
              head ? "GET" : method,
              uri,
              path,
              query,
              request.headers(),
              describePeer(context.channel()));
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

  private AdminResponse respond(AdminRequest request) {
    return switch (site.access().check(request)) {
      case AdminAccess.Decision.Admitted(String user) -> {
        AdminResponse response = render(site.pages(), request);
        if (site.pages().changesState(request)) {
          audit.record(request, user, response.status());
        }
        yield response;
      }
      case AdminAccess.Decision.Rejected(AdminResponse rejection) -> {
        if (site.publicPages().serves(request)) {
          yield render(site.publicPages(), request);
        }
        if (site.pages().changesState(request)) {
          audit.record(request, "unauthenticated", rejection.status());
        }
        yield rejection;
      }
    };
  }

  private static AdminResponse render(AdminRouter pages, AdminRequest request) {
    try {
      return pages.respond(request);
    } catch (RuntimeException e) {
      LOGGER.error("admin page {} {} failed", request.method(), request.path(), e);
      return AdminResponse.text(500, "the page failed; the log has the cause\n");
    }
  }

  private static AdminRequest.Peer describePeer(Channel channel) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    return new AdminRequest.Peer(
        channel.remoteAddress() instanceof InetSocketAddress remote
            ? NetUtil.toSocketAddressString(remote)
            : "",
        tls == null ? null : certificateName(tls));
  }

  private static @Nullable String certificateName(SslHandler tls) {
    try {
      return tls.engine().getSession().getPeerPrincipal().getName();
    } catch (SSLPeerUnverifiedException withoutCertificate) {
      return null;
    }
  }

  /** Returns the decoded parameters; null if one has a malformed escape. */
  private static @Nullable Map<String, String> parseQuery(String uri) {
    Map<String, String> query = new HashMap<>();
    try {
      new QueryStringDecoder(uri)
          .parameters()
          .forEach((name, values) -> query.put(name, values.getFirst()));
    } catch (IllegalArgumentException malformedEscape) {
      return null;
    }
    return query;
  }

  private void send(
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
      sent.addListener(ignored -> {
        connection.onResponse();
        context.channel().config().setAutoRead(true);
      });
    } else {
      sent.addListener(ChannelFutureListener.CLOSE);
    }
  }
}
