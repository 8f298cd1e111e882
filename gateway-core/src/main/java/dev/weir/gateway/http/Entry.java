package dev.weir.gateway.http;

import dev.weir.gateway.http.RequestHeads.Expectation;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
  private final Exchange exchange;
  private final Expectation expectation;
  private final long length;
  private final RequestRouter.Way way;
  private HeadGate.@Nullable Visit visit;
  private @Nullable Future<?> timer;
  private boolean waited;

  /**
   * Makes a way in.
   *
   * @param expectation what the client waits for before it sends the body
   * @param length of the body as announced; negative when there is none or it is not known
   */
  Entry(Exchange exchange, Expectation expectation, long length) {
    this.exchange = exchange;
    this.expectation = expectation;
    this.length = length;
    this.way = chosen();
  }

  /**
   * The way it goes; a body that could never be gathered beside its growing array streams through.
   */
  private RequestRouter.Way chosen() {
    RequestRouter.Way chosen =
        exchange
            .connection()
            .desk()
            .router()
            .route(exchange.request().method().name(), exchange.request().uri());
    return chosen instanceof RequestRouter.Coordinate && length > exchange.mostGathered()
        ? exchange.large()
        : chosen;
  }

  /**
   * Goes in, or is turned away, or waits.
   *
   * @param whole the body when it came with the head, borrowed; null when it follows
   */
  void begin(@Nullable ByteBuf whole) {
    HeadGate gate = exchange.connection().desk().gate();
    if (!gate.open()) {
      long announced = hasBody() ? length : 0;
      visit =
          gate.visit(
              new ArrivedHead(exchange.request(), exchange.connection().remoteAddress(), announced),
              way);
    }
    if (visit == null) {
      goIn(whole);
    } else {
      ask(visit);
    }
  }

  /** Whether the body has to wait: nothing of it may be handled. */
  boolean waits() {
    return timer != null;
  }

  private void ask(HeadGate.Visit asking) {
    switch (asking.ask()) {
      case HeadGate.Enter _ -> goIn(null);
      case HeadGate.Refuse(ErrorBody error, var headers) -> {
        exchange.turnAway(way, error, bodyRefused() ? closing(headers) : headers);
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
    if (visit != null) {
      ask(visit);
    }
    if (timer == null) {
      exchange.connection().releaseFromGate();
    }
  }

  private void goIn(@Nullable ByteBuf whole) {
    switch (way) {
      case RequestRouter.Coordinate coordinate -> {
        exchange.coordinate(coordinate, length);
        bodyWanted();
      }
      case RequestRouter.Local local -> {
        exchange.answerHere(local, length);
        bodyWanted();
      }
      case RequestRouter.PassThrough through -> {
        bodyWanted();
        ByteBuf none = hasBody() ? null : Unpooled.EMPTY_BUFFER;
        exchange.relay(through, whole == null ? none : whole.retain());
      }
    }
  }

  private boolean hasBody() {
    return RequestHeads.hasBody(exchange.request(), length);
  }

  /** Lets a client send the body that waits to be let. */
  private void bodyWanted() {
    if (expectation == Expectation.CONTINUE) {
      exchange.connection().sendContinue(exchange);
    }
  }

  /**
   * Does not read a body that the client only sends when it is let. One that had to wait may have
   * begun to send it all the same: where the next request begins is not known then.
   *
   * @return whether the connection is closed after the answer therefore
   */
  private boolean bodyRefused() {
    if (expectation != Expectation.CONTINUE) {
      return false;
    }
    exchange.connection().bodyWillNotCome();
    if (!waited || exchange.connection().isStream()) {
      return false;
    }
    exchange.closeAfterAnswer();
    return true;
  }

  private static Map<String, String> closing(Map<String, String> headers) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("connection", "close");
    return all;
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
  void over(long answerBytes) {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (visit != null) {
      visit.over(answerBytes);
    }
  }
}
