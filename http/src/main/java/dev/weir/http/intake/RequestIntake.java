package dev.weir.http.intake;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.connection.ClientConnection;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.connection.HttpHeaderRules.Expectation;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.options.HttpLimits;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a request in by its headers, before any of its body is read: checks what it expects,
 * chooses its route and asks the {@link HeaderFilter}. Confined to its event loop.
 *
 * <pre>
 *   start() --> admitted or rejected                      at once
 *      `------> delayed --> admitted or rejected          by a timer; nothing is read meanwhile
 *                  `------> ended                         the client disconnected
 * </pre>
 */
public final class RequestIntake implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestIntake.class);

  /** Receives the outcome of the intake. Called on the request's event loop. */
  public interface Listener {
    /**
     * Buffers the body of a request that the gateway coordinates or answers itself.
     *
     * @return the bytes that memory lacks for it; 0 when there is enough
     */
    long bufferBody(RequestRouter.Decision decision, long announcedBytes);

    /** Rejects a request whose body {@link #bufferBody} had no memory for. */
    void rejectForMemory(long lackingBytes);

    /** Sends the request to a node with its whole body, which the callee owns. */
    void proxy(RequestRouter.PassThrough decision, ByteBuf whole);

    /**
     * Gathers the body, and sends the request to a node.
     *
     * @param transformer changes the body on its way; null for none
     */
    void gather(RequestRouter.PassThrough decision, @Nullable BodyTransformer transformer);

    /** Rejects the request with an error of the gateway. */
    void reject(ErrorBody error, Map<String, String> headers);

    /** Rejects the request with a bare status, as a node does. */
    void reject(HttpResponseStatus status);
  }

  private final RequestRoute route;
  private final ExchangeChannel channel;
  private final HttpLimits limits;
  private final Listener listener;
  private final Expectation expectation;
  private RequestRouter.@Nullable Decision decision;
  private HeaderFilter.@Nullable Session filterSession;
  private @Nullable Future<?> timer;

  public RequestIntake(RequestRoute route, Listener listener) {
    this.route = route;
    this.channel = route.channel();
    this.limits = channel.options().limits();
    this.listener = listener;
    this.expectation =
        HttpHeaderRules.parseExpectation(route.request(), route.contentLength(), limits);
  }

  /**
   * Admits, delays or rejects the request.
   *
   * @param whole the body when it came with the headers, borrowed; null when it follows
   */
  public void start(@Nullable ByteBuf whole) {
    if (expectation == Expectation.TOO_LONG) {
      declineBody();
      listener.reject(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else if (expectation == Expectation.UNKNOWN) {
      declineBody();
      listener.reject(HttpResponseStatus.EXPECTATION_FAILED);
    } else if (route.contentLength() > limits.maxContentBytes()) {
      listener.reject(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    } else {
      RequestRouter.Decision chosen = route.choose();
      decision = chosen;
      filterSession = route.openFilterSession(chosen);
      if (filterSession == null) {
        proceed(chosen, whole);
      } else {
        applyFilter(filterSession, chosen);
      }
    }
  }

  /** Whether the filter delays the request: its body must wait too. */
  public boolean isDelayed() {
    return timer != null;
  }

  private void applyFilter(HeaderFilter.Session session, RequestRouter.Decision chosen) {
    switch (session.tryAdmit()) {
      case HeaderFilter.Admit _ -> proceed(chosen, null);
      case HeaderFilter.Reject(ErrorBody error, var headers, long id) -> {
        declineBody();
        route.log().setId(id);
        route.log().intendedRoute(chosen);
        listener.reject(error, headers);
      }
      case HeaderFilter.Delay(long nanos) -> {
        channel.connection().pauseForAdmission();
        timer = channel.eventLoop().schedule(this, nanos, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** The delay has passed: asks the filter again. */
  @Override
  public void run() {
    timer = null;
    try {
      if (filterSession != null && decision != null) {
        applyFilter(filterSession, decision);
      }
      if (timer == null) {
        channel.connection().resumeAfterAdmission();
      }
    } catch (Throwable e) { // the timer drops exceptions, and nothing else would end the request
      channel.abortResponse();
      LOG.error("can't admit {} {}", route.head().method(), route.originalUri(), e);
    }
  }

  private void proceed(RequestRouter.Decision chosen, @Nullable ByteBuf whole) {
    switch (chosen) {
      case RequestRouter.Coordinate _, RequestRouter.RespondLocally _ -> {
        long lacking = listener.bufferBody(chosen, route.contentLength());
        if (lacking == 0) {
          requestBody();
        } else {
          declineBody();
          listener.rejectForMemory(lacking);
        }
      }
      case RequestRouter.PassThrough through -> {
        requestBody();
        BodyTransformer transformer = route.hasBody() ? route.bodyTransformer() : null;
        if (transformer != null || (route.hasBody() && whole == null)) {
          listener.gather(through, transformer);
        } else {
          listener.proxy(through, whole == null ? Unpooled.EMPTY_BUFFER : whole.retain());
        }
      }
    }
  }

  /** Lets a client that expects {@code 100 Continue} send the body. */
  private void requestBody() {
    if (expectation == Expectation.CONTINUE) {
      channel.sendContinue();
    }
  }

  /**
   * Does not read a body that the client sends only when it may. The client may send the body all
   * the same, even together with the headers: the gateway can't tell where the next request begins,
   * so it reads no more of the connection.
   */
  private void declineBody() {
    ClientConnection connection = channel.connection();
    if (expectation == Expectation.NONE || !route.hasBody() || connection.isStream()) {
      return;
    }
    channel.announceClose();
    connection.stopReading();
  }

  public void onBytesReceived(int bytes) {
    if (filterSession != null) {
      filterSession.onBytesReceived(bytes);
    }
  }

  /** Called when the request has ended. */
  public void onRequestEnd() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    try {
      route.onRequestEnd();
    } finally {
      if (filterSession != null) {
        filterSession.onRequestEnd(route.log().responseBytes());
      }
    }
  }
}
