package dev.weir.http;

import dev.weir.http.HttpHeaderRules.Expectation;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request's way in: which way it goes, past the {@link HeaderFilter}, to where its body goes.
 * Confined to its event loop.
 *
 * <pre>
 *   begin --> in, or turned away                 at once
 *     `-----> waiting --> in, or turned away     by a timer; meanwhile nothing is read
 *                `------> over                   its client went away
 * </pre>
 */
final class RequestIntake implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestIntake.class);

  /** Longer bodies that pass through are not kept. */
  private static final int MAX_REPLAYABLE_BYTES = 1 << 20;

  private static final int TOO_MANY_REQUESTS = 429;

  private final ClientExchange exchange;
  private final HttpLimits limits;
  private final String originalUri;
  private final long length;
  private final boolean hasBody;
  private final RequestHead head;
  private final Expectation expectation;
  private @Nullable Destination destination;
  private RequestRouter.@Nullable Decision route;
  private HeaderFilter.@Nullable Session filterSession;
  private @Nullable Future<?> timer;
  private boolean wasDelayed;
  private boolean failedOver;

  /** Makes a way in. */
  RequestIntake(ClientExchange exchange) {
    this.exchange = exchange;
    this.limits = exchange.connection().options().limits();
    this.originalUri = exchange.request().uri();
    this.length = HttpHeaderRules.contentLength(exchange.request());
    this.hasBody = HttpHeaderRules.hasBody(exchange.request(), length);
    this.expectation = HttpHeaderRules.parseExpectation(exchange.request(), length, limits);
    this.head =
        new NettyRequestHead(
            exchange.request(),
            exchange.connection().remoteAddress(),
            exchange.arrivedNanos(),
            hasBody ? length : 0);
  }

  /**
   * Goes in, or is turned away, or waits.
   *
   * @param whole the body when it came with the head, borrowed; null when it follows
   */
  void start(@Nullable ByteBuf whole) {
    if (expectation == Expectation.TOO_LONG) {
      declineBody();
      exchange.rejectWithStatus(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else if (expectation == Expectation.UNKNOWN) {
      declineBody();
      exchange.rejectWithStatus(HttpResponseStatus.EXPECTATION_FAILED);
    } else if (length > limits.maxContentBytes()) {
      exchange.rejectWithStatus(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else {
      RequestRouter.Decision chosen = chooseRoute();
      route = chosen;
      filterSession = filterSession(chosen);
      if (filterSession == null) {
        proceed(chosen, whole);
      } else {
        applyFilter(filterSession, chosen);
      }
    }
  }

  /**
   * The way it goes; a body that could never be gathered beside its growing array streams through,
   * unless it is worked on while it comes.
   */
  private RequestRouter.Decision chooseRoute() {
    RequestRouter.Decision chosen =
        routeTo(exchange.connection().environment().destinations().select(head));
    if (!(chosen instanceof RequestRouter.Coordinate coordinate)) {
      return chosen;
    }
    RequestRouter.Coordinate gathered = new RequestRouter.Coordinate(coordinate.action());
    if (coordinate.streamingOptions() != null
        && coordinate
            .streamingOptions()
            .canSplit(exchange.request().headers().get(HttpHeaderNames.CONTENT_TYPE))) {
      return coordinate;
    }
    return length > exchange.maxBufferedBytes() ? oversizedBodyRoute() : gathered;
  }

  /** Goes there; the way it goes. */
  RequestRouter.Decision routeTo(Destination there) {
    destination = there;
    String known = there.translateUri(originalUri);
    if (!known.equals(exchange.request().uri())) {
      exchange.request().setUri(known);
    }
    return there.router().route(head.method(), known);
  }

  /** Where it goes. */
  Destination destination() {
    return Objects.requireNonNull(destination, "got none (expected: a request that went in)");
  }

  /** Path and query as the client sent them. */
  String originalUri() {
    return originalUri;
  }

  /**
   * Goes to another place because nodes of this one are gone; once only.
   *
   * @param status that it would be answered with here
   * @return the way it goes there; null when there is no such place
   */
  RequestRouter.@Nullable Decision failOver(int status) {
    Destination here = destination();
    Destination other = failedOver ? null : here.failoverDestination(head.method(), originalUri);
    failedOver = true;
    if (other == null) {
      return null;
    }
    here.onRequestEnd(status);
    return routeTo(other);
  }

  /**
   * The same for a request that passed through: it passes through there too.
   *
   * @param failure what it ended with here
   * @param reason why it passed through here
   * @param body what of its body can be sent once more; null for nothing
   */
  RequestRouter.@Nullable PassThrough failOverPassThrough(
      ProxyFailure failure, String reason, @Nullable ReplayableBody body) {
    if (isSaturated(failure) || body == null || !body.isReplayable() || !canFailOverWithBody()) {
      return null;
    }
    return switch (failOver(failure.status())) {
      case null -> null;
      case RequestRouter.PassThrough through -> through;
      case RequestRouter.Decision _ ->
          destination().router().routeAfterBody(head.method(), exchange.request().uri(), reason);
    };
  }

  /**
   * What is kept of a body that passes through, in case that the request goes elsewhere.
   *
   * @param whole the body, borrowed; null when it follows
   * @return null when it stays here in any case
   */
  @Nullable ReplayableBody copyForReplay(@Nullable ByteBuf whole) {
    if (failedOver || !hasBody || !canFailOverWithBody()) {
      return null;
    }
    BodyBudget budget = exchange.connection().environment().bodyBudget();
    if (whole != null) {
      return ReplayableBody.ofComplete(budget, whole);
    }
    if (!HttpHeaderRules.isPlainlyFramed(exchange.request())) {
      return null;
    }
    long most = Math.min(MAX_REPLAYABLE_BYTES, exchange.maxBufferedBytes() / 4);
    return ReplayableBody.ofStreaming(budget, length > most ? 0 : (int) most);
  }

  /** Whether another place would take it, body and all, as it goes to this one. */
  private boolean canFailOverWithBody() {
    Destination here = destination();
    return !here.transformsBodies() && here.hasFailoverDestination(head.method(), originalUri);
  }

  /** Whether nodes are there and take no more: no reason to give the work to others. */
  static boolean isSaturated(ProxyFailure failure) {
    return failure.status() == TOO_MANY_REQUESTS;
  }

  /** The same for a request that passed through without a body; null for one that has one. */
  RequestRouter.@Nullable Decision failOverPassThrough(ProxyFailure failure) {
    return hasBody || isSaturated(failure) ? null : failOver(failure.status());
  }

  /** How the body has to be changed where it goes; null for not at all. */
  @Nullable BodyTransformer bodyTransformer() {
    Destination there = destination();
    return there.transformsBodies()
        ? there.bodyTransformer(
            originalUri, exchange.request().headers().get(HttpHeaderNames.CONTENT_TYPE))
        : null;
  }

  /** What the nodes of the place say of their version; null when that is not known. */
  @Nullable Supplier<String> serverVersion() {
    return destination == null ? null : destination.serverVersion();
  }

  /** The way of a body that is too large to be gathered. */
  RequestRouter.PassThrough oversizedBodyRoute() {
    return destination().router().routeLargeBody(head.method(), head.uri());
  }

  private HeaderFilter.@Nullable Session filterSession(RequestRouter.Decision chosen) {
    HeaderFilter gate = exchange.connection().environment().headerFilter();
    RequestPolicy policy = destination().policy();
    return gate.admitsAll(policy) ? null : gate.startSession(head, chosen, policy);
  }

  /** Whether the body has to wait: nothing of it may be handled. */
  boolean isDelayed() {
    return timer != null;
  }

  private void applyFilter(HeaderFilter.Session asking, RequestRouter.Decision chosen) {
    switch (asking.tryAdmit()) {
      case HeaderFilter.Admit _ -> proceed(chosen, null);
      case HeaderFilter.Reject(ErrorBody error, var headers, long number) -> {
        declineBody();
        exchange.logBuilder().setId(number);
        exchange.logBuilder().intendedRoute(chosen);
        exchange.rejectWith(error, headers);
      }
      case HeaderFilter.Delay(long nanos) -> {
        wasDelayed = true;
        exchange.connection().pauseForAdmission();
        timer = exchange.connection().eventLoop().schedule(this, nanos, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** It has waited for as long as it was told. */
  @Override
  public void run() {
    timer = null;
    try {
      if (filterSession != null && route != null) {
        applyFilter(filterSession, route);
      }
      if (timer == null) {
        exchange.connection().resumeAfterAdmission();
      }
    } catch (Throwable e) { // nobody else hears of it, and nothing else would end the request
      exchange.abortResponse();
      LOG.error("can't let {} {} in", head.method(), originalUri, e);
    }
  }

  private void proceed(RequestRouter.Decision chosen, @Nullable ByteBuf whole) {
    switch (chosen) {
      case RequestRouter.Coordinate _, RequestRouter.RespondLocally _ ->
          onBodyReserved(exchange.bufferBody(chosen, length));
      case RequestRouter.PassThrough through -> {
        requestBody();
        BodyTransformer change = hasBody ? bodyTransformer() : null;
        if (change != null) {
          exchange.proxy(through, SpilloverBody.ofTransformed(exchange, change));
        } else {
          ByteBuf none = hasBody ? null : Unpooled.EMPTY_BUFFER;
          exchange.proxy(through, whole == null ? none : whole.retain());
        }
      }
    }
  }

  private void onBodyReserved(long lacking) {
    if (lacking == 0) {
      requestBody();
    } else {
      declineBody();
      CoordinatedExchange gathering = exchange.coordinated();
      if (gathering != null) {
        gathering.onNoRoom(lacking);
      }
    }
  }

  /** Lets a client send the body that waits to be let. */
  private void requestBody() {
    if (expectation == Expectation.CONTINUE) {
      exchange.connection().sendContinue(exchange);
    }
  }

  /**
   * Does not read a body that the client only sends when it is let. One that had to wait, that
   * hears of it only after the answers to earlier requests, or that expects something else, may
   * begin to send it all the same: where its next request begins is not known then, and nothing
   * more is taken for one.
   */
  private void declineBody() {
    ClientConnection connection = exchange.connection();
    if (expectation == Expectation.NONE || !hasBody || connection.isStream()) {
      return;
    }
    if (wasDelayed || expectation == Expectation.UNKNOWN || !connection.isNext(exchange)) {
      exchange.announceClose();
      connection.stopReading();
    } else {
      connection.skipRefusedBody();
    }
  }

  /** Whose request it is. */
  String tenant() {
    return filterSession == null ? RequestContext.DEFAULT_TENANT : filterSession.tenant();
  }

  void onBytesReceived(int bytes) {
    if (filterSession != null) {
      filterSession.onBytesReceived(bytes);
    }
  }

  /** The request is over. */
  void onRequestEnd(RequestLogBuilder total) {
    if (destination != null) {
      destination.onRequestEnd(total.status());
      total.setDestination(destination);
    }
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (filterSession != null) {
      filterSession.onRequestEnd(total.responseBytes());
    }
  }
}
