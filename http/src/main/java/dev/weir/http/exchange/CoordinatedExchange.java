package dev.weir.http.exchange;

import dev.weir.http.body.BodySink;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.Destination;
import dev.weir.http.intake.RequestRoute;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestTrace;
import dev.weir.model.SectionedBody;
import dev.weir.model.StreamingResponse;
import io.netty.handler.codec.http.HttpRequest;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request as its handler sees it: with a buffered body, or with the first section of a body that
 * the handler processes while it arrives. Owns the body. Confined to its event loop; responses
 * given on other threads move to it.
 *
 * <pre>
 *   handler   BUFFERING --body complete--> HANDLING --responds, passes through--> DONE
 *                                             ^---another cluster coordinates-----'
 *   client    WAITING --response has left--> RESPONDED
 *                `-----disconnected--------> DISCONNECTED
 * </pre>
 *
 * The body is released when both the handler and the client are done.
 */
final class CoordinatedExchange implements HttpExchange {

  private enum HandlerState {
    BUFFERING,
    HANDLING,
    DONE
  }

  private enum ClientState {
    WAITING,
    RESPONDED,
    DISCONNECTED
  }

  private enum BodyUse {
    /** Only the handler reads the body. */
    EXCLUSIVE,
    /** Something may read the body after the handler is done: its memory is not reused. */
    RETAINED
  }

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatedExchange.class);

  private final RequestRoute route;
  private final ExchangeChannel channel;
  private final CoordinatedResponder responder;
  private final HttpRequest request;
  private final CoordinatedBody body;
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private final FallbackResponse fallback = new FallbackResponse();
  private HandlerState handlerState = HandlerState.BUFFERING;
  private ClientState clientState = ClientState.WAITING;
  private BodyUse bodyUse = BodyUse.EXCLUSIVE;

  /** The headers as the handler sees them; null until it reads them. */
  private @Nullable List<Map.Entry<String, String>> handledHeaders;

  /** Lost nodes made the handler's response incomplete. */
  private boolean incomplete;

  /**
   * Creates an exchange whose body has not arrived.
   *
   * @param body owned
   */
  CoordinatedExchange(RequestRoute route, CoordinatedResponder responder, CoordinatedBody body) {
    this.route = route;
    this.channel = route.channel();
    this.responder = responder;
    this.request = route.request();
    this.body = body;
  }

  /**
   * Reserves memory for the body as announced.
   *
   * @return the bytes that memory lacks; 0 when there is enough
   */
  long reserve() {
    return body.reserve(this::dispatch);
  }

  BodySink sink() {
    return body.sink();
  }

  /** Rejects the request whose body {@link #reserve} had no memory for. */
  void rejectForMemory(long lackingBytes) {
    body.onNoRoom(lackingBytes);
  }

  // The handler.

  private void dispatch() {
    handlerState = HandlerState.HANDLING;
    runGuarded(() -> {
      Destination resolved = route.destination().resolveByBody(this);
      follow(resolved == null ? null : route.routeTo(resolved));
    });
  }

  private void runGuarded(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) { // errors too: nothing else would release the body
      LOG.error("handler failed on {} {}", method(), uri(), e);
      bodyUse = BodyUse.RETAINED;
      onHandlerDone();
      fallback.release();
      if (responder.canRespond()) {
        responder.reject(new ErrorBody(500, "exception", String.valueOf(e)), Map.of());
      } else if (!responder.hasResponse()) {
        responder.abortResponse(); // the request was on its way to a node
      }
    }
  }

  /** Serves a request that passed through, and whose nodes were lost, by another cluster. */
  void continueOn(RequestRouter.Decision decision) {
    handlerState = HandlerState.HANDLING;
    incomplete = false;
    runGuarded(() -> follow(decision));
  }

  /**
   * Serves the request as its destination decided.
   *
   * @param decision null for the decision made from the headers
   */
  private void follow(RequestRouter.@Nullable Decision decision) {
    ErrorBody error = body.transform();
    handledHeaders = null; // transforming or an earlier pass-through may have changed them
    if (error != null) {
      onHandlerDone();
      responder.respond(
          fallback.chooseBetter(error.toReply(Map.of(), HttpHeaderRules.isPretty(uri()))));
    } else if (decision instanceof RequestRouter.PassThrough through) {
      proxy(through);
    } else {
      route.destination().handler().handle(this);
    }
  }

  /**
   * Called when the client disconnected before it had the whole response; runs the handler's
   * disconnect callbacks.
   */
  void onClientDisconnected() {
    clientState = ClientState.DISCONNECTED;
    body.close();
    if (handlerState != HandlerState.BUFFERING) {
      List<Runnable> actions = List.copyOf(onDisconnect); // a callback may end the exchange
      onDisconnect.clear();
      actions.forEach(each -> ExchangeEnd.run(each, false, (action, _) -> action.run()));
    }
  }

  /**
   * Called when the exchange has ended.
   *
   * @param complete whether the whole response has left
   */
  void onExchangeEnded(boolean complete) {
    if (clientState == ClientState.WAITING) {
      clientState = ClientState.RESPONDED;
    }
    body.close();
    onDisconnect.clear();
    if (handlerState == HandlerState.BUFFERING) {
      body.releaseUnused();
    } else if (handlerState == HandlerState.DONE) {
      body.release(complete && bodyUse == BodyUse.EXCLUSIVE);
    } // otherwise the handler still runs: the body stays charged until it is done
  }

  /** Called when the handler is done. */
  private void onHandlerDone() {
    handlerState = HandlerState.DONE;
    body.discardRest();
    if (hasEnded()) {
      body.release(false);
    }
  }

  private boolean hasEnded() {
    return clientState != ClientState.WAITING;
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
    return route.originalUri();
  }

  @Override
  public String protocolVersion() {
    return channel.protocolName();
  }

  /** Copies the headers once while the handler runs, because several filters read them. */
  @Override
  public List<Map.Entry<String, String>> headers() {
    if (handlerState != HandlerState.HANDLING) {
      return request.headers().entries();
    }
    List<Map.Entry<String, String>> known = handledHeaders;
    if (known == null) {
      // A handler may read them on another thread: the wrapper's final field publishes the list.
      known = Collections.unmodifiableList(request.headers().entries());
      handledHeaders = known;
    }
    return known;
  }

  @Override
  public ByteBuffer body() {
    return body.bytes();
  }

  @Override
  public ByteBuffer originalBody() {
    return body.originalBytes();
  }

  @Override
  public @Nullable SectionedBody sectionedBody() {
    return body.sections();
  }

  @Override
  public String tenant() {
    return route.tenant();
  }

  @Override
  public RequestTrace trace() {
    return route.log().trace();
  }

  @Override
  public RequestPolicy policy() {
    return route.destination().policy();
  }

  @Override
  public long arrivedNanos() {
    return route.log().startedNanos();
  }

  @Override
  public RequestMemory memory() {
    return body.memory();
  }

  @Override
  public SocketAddress remoteAddress() {
    return channel.connection().remoteAddress();
  }

  @Override
  public SocketAddress localAddress() {
    return channel.connection().localAddress();
  }

  @Override
  public Executor eventLoop() {
    return channel.eventLoop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    switch (clientState) {
      case WAITING -> onDisconnect.add(action);
      case DISCONNECTED -> action.run();
      case RESPONDED -> {
        // too late: the client's response has begun
      }
    }
  }

  @Override
  public void assignTaskId(long id) {
    body.memory().assignTaskId(id);
    route.log().setId(id);
  }

  @Override
  public void markIncomplete() {
    incomplete = true;
  }

  @Override
  public void respond(BufferedResponse response) {
    if (!channel.eventLoop().inEventLoop()) {
      eventLoop().execute(() -> respond(response));
      return;
    }
    if (incomplete) {
      if (tryFailover(response)) {
        return;
      }
      route.markNodesLost();
    }
    BufferedResponse best = fallback.chooseBetter(response);
    onHandlerDone();
    responder.respond(best);
  }

  /**
   * Asks another cluster, if there is one, because nodes were lost; keeps the response meanwhile.
   */
  private boolean tryFailover(BufferedResponse response) {
    RequestRouter.Decision decision =
        hasEnded() || fallback.isPresent() || body.sections() != null
            ? null
            : route.failOver(HttpStatus.SERVICE_UNAVAILABLE);
    if (decision == null) {
      return false;
    }
    fallback.keep(response);
    incomplete = false;
    eventLoop().execute(() -> runGuarded(() -> retryOn(decision)));
    return true;
  }

  private void retryOn(RequestRouter.Decision decision) {
    if (hasEnded()) { // the client disconnected meanwhile
      fallback.release();
      onHandlerDone();
    } else {
      follow(decision);
    }
  }

  @Override
  public void respond(StreamingResponse response) {
    if (!channel.eventLoop().inEventLoop()) {
      eventLoop().execute(() -> respond(response));
      return;
    }
    if (incomplete) {
      route.markNodesLost();
    }
    fallback.release();
    onHandlerDone();
    responder.respond(response);
  }

  @Override
  public void passThrough(String reason) {
    if (!channel.eventLoop().inEventLoop()) {
      eventLoop().execute(() -> passThrough(reason));
      return;
    }
    if (hasEnded()) {
      fallback.release();
      onHandlerDone();
      return;
    }
    proxy(route.destination().router().routeAfterBody(method(), uri(), reason));
  }

  private void proxy(RequestRouter.PassThrough decision) {
    fallback.release();
    handlerState = HandlerState.DONE;
    bodyUse = BodyUse.RETAINED; // the node's connection may still write parts of it
    body.proxy(decision);
  }

  @Override
  public void drop() {
    if (channel.eventLoop().inEventLoop()) {
      fallback.release();
      onHandlerDone();
    } else {
      eventLoop().execute(this::drop);
    }
  }

  @Override
  public void retainBody() {
    bodyUse = BodyUse.RETAINED;
  }
}
