package dev.weir.http;

import dev.weir.http.RequestHeads.Expectation;
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
 * A request's way in: which way it goes, past the {@link HeadGate}, to where its body goes.
 * Confined to its event loop.
 *
 * <pre>
 *   begin --> in, or turned away                 at once
 *     `-----> waiting --> in, or turned away     by a timer; meanwhile nothing is read
 *                `------> over                   its client went away
 * </pre>
 */
final class Entry implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Entry.class);

  /** Longer bodies that pass through are not kept. */
  private static final int MOST_KEPT = 1 << 20;

  private static final int NO_ROOM = 429;

  private final Exchange exchange;
  private final HttpLimits limits;
  private final String askedUri;
  private final long length;
  private final boolean hasBody;
  private final RequestHead head;
  private final Expectation expectation;
  private @Nullable Destination destination;
  private RequestRouter.@Nullable Way way;
  private HeadGate.@Nullable Visit visit;
  private @Nullable Future<?> timer;
  private boolean waited;
  private boolean gone;

  /** Makes a way in. */
  Entry(Exchange exchange) {
    this.exchange = exchange;
    this.limits = exchange.connection().options().limits();
    this.askedUri = exchange.request().uri();
    this.length = RequestHeads.contentLength(exchange.request());
    this.hasBody = RequestHeads.hasBody(exchange.request(), length);
    this.expectation = RequestHeads.expectation(exchange.request(), length, limits);
    this.head =
        new ArrivedHead(
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
  void begin(@Nullable ByteBuf whole) {
    if (expectation == Expectation.TOO_LONG) {
      bodyRefused();
      exchange.refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else if (expectation == Expectation.UNKNOWN) {
      bodyRefused();
      exchange.refuseBare(HttpResponseStatus.EXPECTATION_FAILED);
    } else if (length > limits.maxContentBytes()) {
      exchange.refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else {
      RequestRouter.Way chosen = chosen();
      way = chosen;
      visit = visit(chosen);
      if (visit == null) {
        goIn(chosen, whole);
      } else {
        ask(visit, chosen);
      }
    }
  }

  /**
   * The way it goes; a body that could never be gathered beside its growing array streams through,
   * unless it is worked on while it comes.
   */
  private RequestRouter.Way chosen() {
    RequestRouter.Way chosen = sentTo(exchange.connection().desk().destinations().of(head));
    if (!(chosen instanceof RequestRouter.Coordinate coordinate)) {
      return chosen;
    }
    RequestRouter.Coordinate gathered = new RequestRouter.Coordinate(coordinate.action());
    if (coordinate.streaming() != null
        && coordinate
            .streaming()
            .cuts(exchange.request().headers().get(HttpHeaderNames.CONTENT_TYPE))) {
      return coordinate;
    }
    return length > exchange.mostGathered() ? large() : gathered;
  }

  /** Goes there; the way it goes. */
  RequestRouter.Way sentTo(Destination there) {
    destination = there;
    String known = there.uri(askedUri);
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
  String askedUri() {
    return askedUri;
  }

  /**
   * Goes to another place because nodes of this one are gone; once only.
   *
   * @param status that it would be answered with here
   * @return the way it goes there; null when there is no such place
   */
  RequestRouter.@Nullable Way elsewhere(int status) {
    Destination here = destination();
    Destination other = gone ? null : here.standby(head.method(), askedUri);
    gone = true;
    if (other == null) {
      return null;
    }
    here.over(status);
    return sentTo(other);
  }

  /**
   * The same for a request that passed through: it passes through there too.
   *
   * @param failure what it ended with here
   * @param reason why it passed through here
   * @param body what of its body can be sent once more; null for nothing
   */
  RequestRouter.@Nullable PassThrough again(
      ProxyFailure failure, String reason, @Nullable KeptBody body) {
    if (isFull(failure) || body == null || !body.sendable() || !replaceable()) {
      return null;
    }
    return switch (elsewhere(failure.status())) {
      case null -> null;
      case RequestRouter.PassThrough through -> through;
      case RequestRouter.Way _ ->
          destination().router().late(head.method(), exchange.request().uri(), reason);
    };
  }

  /**
   * What is kept of a body that passes through, in case that the request goes elsewhere.
   *
   * @param whole the body, borrowed; null when it follows
   * @return null when it stays here in any case
   */
  @Nullable KeptBody kept(@Nullable ByteBuf whole) {
    if (gone || !hasBody || !replaceable()) {
      return null;
    }
    BodyBudget budget = exchange.connection().desk().budget();
    if (whole != null) {
      return KeptBody.whole(budget, whole);
    }
    if (!RequestHeads.plainlyFramed(exchange.request())) {
      return null;
    }
    long most = Math.min(MOST_KEPT, exchange.mostGathered() / 4);
    return KeptBody.ahead(budget, length > most ? 0 : (int) most);
  }

  /** Whether another place would take it, body and all, as it goes to this one. */
  private boolean replaceable() {
    Destination here = destination();
    return !here.changes() && here.replaceable(head.method(), askedUri);
  }

  /** Whether nodes are there and take no more: no reason to give the work to others. */
  static boolean isFull(ProxyFailure failure) {
    return failure.status() == NO_ROOM;
  }

  /** The same for a request that passed through without a body; null for one that has one. */
  RequestRouter.@Nullable Way again(ProxyFailure failure) {
    return hasBody || isFull(failure) ? null : elsewhere(failure.status());
  }

  /** How the body has to be changed where it goes; null for not at all. */
  @Nullable BodyChange change() {
    Destination there = destination();
    return there.changes()
        ? there.change(askedUri, exchange.request().headers().get(HttpHeaderNames.CONTENT_TYPE))
        : null;
  }

  /** What the nodes of the place say of their version; null when that is not known. */
  @Nullable Supplier<String> serverVersion() {
    return destination == null ? null : destination.serverVersion();
  }

  /** The way of a body that is too large to be gathered. */
  RequestRouter.PassThrough large() {
    return destination().router().large(head.method(), head.uri());
  }

  private HeadGate.@Nullable Visit visit(RequestRouter.Way chosen) {
    HeadGate gate = exchange.connection().desk().gate();
    RequestPolicy policy = destination().policy();
    return gate.open(policy) ? null : gate.visit(head, chosen, policy);
  }

  /** Whether the body has to wait: nothing of it may be handled. */
  boolean waits() {
    return timer != null;
  }

  private void ask(HeadGate.Visit asking, RequestRouter.Way chosen) {
    switch (asking.ask()) {
      case HeadGate.Enter _ -> goIn(chosen, null);
      case HeadGate.Refuse(ErrorBody error, var headers, long number) -> {
        bodyRefused();
        exchange.tally().numbered(number);
        exchange.tally().wouldGo(chosen);
        exchange.refuse(error, headers);
      }
      case HeadGate.Wait(long nanos) -> {
        waited = true;
        exchange.connection().holdAtGate();
        timer = exchange.connection().loop().schedule(this, nanos, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** It has waited for as long as it was told. */
  @Override
  public void run() {
    timer = null;
    try {
      if (visit != null && way != null) {
        ask(visit, way);
      }
      if (timer == null) {
        exchange.connection().releaseFromGate();
      }
    } catch (Throwable e) { // nobody else hears of it, and nothing else would end the request
      exchange.breakOff();
      LOG.error("can't let {} {} in", head.method(), askedUri, e);
    }
  }

  private void goIn(RequestRouter.Way chosen, @Nullable ByteBuf whole) {
    switch (chosen) {
      case RequestRouter.Coordinate _, RequestRouter.Local _ ->
          begun(exchange.gather(chosen, length));
      case RequestRouter.PassThrough through -> {
        bodyWanted();
        BodyChange change = hasBody ? change() : null;
        if (change != null) {
          exchange.relay(through, OutgrownBody.changing(exchange, change));
        } else {
          ByteBuf none = hasBody ? null : Unpooled.EMPTY_BUFFER;
          exchange.relay(through, whole == null ? none : whole.retain());
        }
      }
    }
  }

  private void begun(long lacking) {
    if (lacking == 0) {
      bodyWanted();
    } else {
      bodyRefused();
      CoordinatedExchange gathering = exchange.coordinated();
      if (gathering != null) {
        gathering.onNoRoom(lacking);
      }
    }
  }

  /** Lets a client send the body that waits to be let. */
  private void bodyWanted() {
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
  private void bodyRefused() {
    ClientConnection connection = exchange.connection();
    if (expectation == Expectation.NONE || !hasBody || connection.isStream()) {
      return;
    }
    if (waited || expectation == Expectation.UNKNOWN || !connection.isNext(exchange)) {
      exchange.announceClose();
      connection.stopReading();
    } else {
      connection.bodyWillNotCome();
    }
  }

  /** Whose request it is. */
  String tenant() {
    return visit == null ? RequestContext.DEFAULT_TENANT : visit.tenant();
  }

  void received(int bytes) {
    if (visit != null) {
      visit.received(bytes);
    }
  }

  /** The request is over. */
  void over(Tally total) {
    if (destination != null) {
      destination.over(total.status());
      total.wentTo(destination);
    }
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (visit != null) {
      visit.over(total.responseBytes());
    }
  }
}
