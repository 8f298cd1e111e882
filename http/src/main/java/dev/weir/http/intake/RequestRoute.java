package dev.weir.http.intake;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.ReplayableBody;
import dev.weir.http.connection.ExchangeChannel;
import dev.weir.http.connection.HttpHeaderRules;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.BodyStreamingOptions;
import dev.weir.model.LargeBodyCheck;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which cluster serves one request, and which one does when that cluster's nodes are lost. Confined
 * to the request's event loop.
 */
public final class RequestRoute {
  /** Longer bodies that pass through are not copied for another cluster. */
  private static final int MAX_REPLAYABLE_BYTES = 1 << 20;

  /** The beginning of a body by which the whole is estimated. */
  private static final int CHECKED_BYTES = 1 << 20;

  private enum Failover {
    AVAILABLE,
    /** The request went to another cluster, or there was none to go to. */
    USED
  }

  private final ExchangeChannel channel;
  private final HttpRequest request;
  private final RequestEnvironment environment;
  private final RequestLogBuilder log;
  private final String originalUri;
  private final long length;
  private final boolean hasBody;

  /** Whether the body came with a content coding; decoding it removes the header. */
  private final boolean isEncoded;

  private final RequestHead head;
  private @Nullable Destination destination;
  private HeaderFilter.@Nullable Session filterSession;
  private Failover failover = Failover.AVAILABLE;
  private boolean nodesLost;
  private @Nullable DelegatedRequest delegated;

  public RequestRoute(
      ExchangeChannel channel, RequestEnvironment environment, RequestLogBuilder log) {
    this.channel = channel;
    this.request = channel.request();
    this.environment = environment;
    this.log = log;
    this.originalUri = request.uri();
    this.length = HttpHeaderRules.contentLength(request);
    this.hasBody = HttpHeaderRules.hasBody(request, length);
    this.isEncoded = request.headers().contains(HttpHeaderNames.CONTENT_ENCODING);
    this.head =
        new NettyRequestHead(
            request,
            channel.connection().remoteAddress(),
            log.startedNanos(),
            hasBody ? length : 0);
  }

  // The request.

  public ExchangeChannel channel() {
    return channel;
  }

  public HttpRequest request() {
    return request;
  }

  public RequestLogBuilder log() {
    return log;
  }

  /** The request's headers, with what is known of its connection. */
  RequestHead head() {
    return head;
  }

  /** Path and query as the client sent them. */
  public String originalUri() {
    return originalUri;
  }

  /** The announced length of the body in bytes; negative when the client announced none. */
  long contentLength() {
    return length;
  }

  boolean hasBody() {
    return hasBody;
  }

  /** The request's tenant. */
  public String tenant() {
    return filterSession == null ? RequestContext.DEFAULT_TENANT : filterSession.tenant();
  }

  /** The bound of all buffered bodies. */
  public BodyBudget bodyBudget() {
    return environment.bodyBudget();
  }

  /**
   * The most bytes of one body that are buffered: with its growing array it may need twice that.
   */
  public long maxBufferedBytes() {
    return environment.bodyBudget().limit() / 2;
  }

  /**
   * Returns the most bytes that are buffered before a body is processed in sections, passes through
   * or is rejected. Of a body announced as too long only the beginning is buffered, to be checked.
   *
   * @param streaming how the body is processed in sections; null for not at all
   */
  public int bufferLimit(@Nullable BodyStreamingOptions streaming) {
    long most = Math.min(channel.maxContentBytes(), maxBufferedBytes());
    if (streaming != null) {
      return (int) Math.min(most, streaming.initialBufferBytes(length));
    }
    return (int) (length > most ? Math.min(most, CHECKED_BYTES) : most);
  }

  // The destination.

  /**
   * Chooses the destination by the request's headers. A body too long to be buffered passes
   * through, unless the destination can process it in sections.
   */
  RequestRouter.Decision choose() {
    RequestRouter.Decision chosen = routeTo(environment.destinations().select(head));
    if (!(chosen instanceof RequestRouter.Coordinate coordinate)) {
      return chosen;
    }
    if (coordinate.streamingOptions() != null
        && coordinate
            .streamingOptions()
            .canSplit(request.headers().get(HttpHeaderNames.CONTENT_TYPE))) {
      return coordinate;
    }
    return length > maxBufferedBytes() && largeBodyCheck() == null
        ? oversizedBodyRoute()
        : new RequestRouter.Coordinate(coordinate.action());
  }

  private @Nullable LargeBodyCheck largeBodyCheck() {
    return destination().router().largeBodyCheck(head.method(), head.uri());
  }

  /**
   * Returns why a body too long to be buffered must not pass through either; null when it may.
   *
   * @param beginning what was buffered of it, decoded; borrowed
   */
  public @Nullable MemoryRejection checkLargeBody(ByteBuffer beginning) {
    LargeBodyCheck check = largeBodyCheck();
    HttpHeaders headers = request.headers();
    boolean isLengthKnown = length >= 0 && !isEncoded;
    return check == null
        ? null
        : check.check(
            headers.get(HttpHeaderNames.CONTENT_TYPE),
            beginning.slice(beginning.position(), Math.min(beginning.remaining(), CHECKED_BYTES)),
            isLengthKnown ? length : channel.maxContentBytes());
  }

  /** Opens a session with the header filter; null when the filter admits the whole policy. */
  HeaderFilter.@Nullable Session openFilterSession(RequestRouter.Decision chosen) {
    HeaderFilter filter = environment.headerFilter();
    RequestPolicy policy = destination().policy();
    filterSession = filter.admitsAll(policy) ? null : filter.startSession(head, chosen, policy);
    log.setTenant(tenant());
    return filterSession;
  }

  /** Sends the request to a destination, which decides how to serve it. */
  public RequestRouter.Decision routeTo(Destination chosen) {
    destination = chosen;
    String translated = chosen.translateUri(originalUri);
    if (!translated.equals(request.uri())) {
      request.setUri(translated);
    }
    return chosen.router().route(head.method(), translated);
  }

  public Destination destination() {
    return Objects.requireNonNull(destination, "got no destination (expected: a routed request)");
  }

  /** Returns how to serve a request whose body is too long to be buffered. */
  public RequestRouter.PassThrough oversizedBodyRoute() {
    return destination().router().routeLargeBody(head.method(), head.uri());
  }

  /** Returns how to transform the body for its destination; null when it goes unchanged. */
  public @Nullable BodyTransformer bodyTransformer() {
    Destination chosen = destination();
    return chosen.transformsBodies()
        ? chosen.bodyTransformer(originalUri, request.headers().get(HttpHeaderNames.CONTENT_TYPE))
        : null;
  }

  /**
   * Returns the version that the destination's nodes report; null when all destinations report the
   * same.
   */
  public @Nullable Supplier<String> serverVersion() {
    return destination == null ? null : destination.serverVersion();
  }

  // Failover.

  /**
   * Sends the request to another cluster because nodes of this one are lost; once only.
   *
   * @param status of the response that this cluster would give
   * @return how the other cluster serves the request; null when there is none
   */
  public RequestRouter.@Nullable Decision failOver(int status) {
    Destination current = destination();
    Destination other =
        failover == Failover.USED ? null : current.failoverDestination(head.method(), originalUri);
    failover = Failover.USED;
    if (other == null) {
      return null;
    }
    current.onRequestEnd(status, true);
    nodesLost = false;
    return routeTo(other);
  }

  /** Called when the response is an error, or incomplete, because nodes were lost. */
  public void markNodesLost() {
    nodesLost = true;
  }

  /** Called when no cluster answers a request that passed through. */
  public void onUnanswered(ProxyFailure failure) {
    if (!failure.isRejection()) {
      markNodesLost();
    }
  }

  /**
   * Sends a passed-through request without a body to another cluster; returns null when it can't
   * be.
   */
  public RequestRouter.@Nullable Decision failOverWithoutBody(ProxyFailure failure) {
    return hasBody || failure.isRejection() ? null : failOver(failure.status());
  }

  /**
   * Sends a passed-through request with a body to another cluster, where it passes through too.
   *
   * @param failure of this cluster
   * @param reason why the request passed through this cluster
   * @param body what can be sent again; null for nothing
   * @return null when the request can't be sent again
   */
  public RequestRouter.@Nullable PassThrough failOverWithBody(
      ProxyFailure failure, String reason, @Nullable ReplayableBody body) {
    if (failure.isRejection() || body == null || !body.isReplayable() || !canFailOverWithBody()) {
      return null;
    }
    return switch (failOver(failure.status())) {
      case null -> null;
      case RequestRouter.PassThrough through -> through;
      case RequestRouter.Decision _ ->
          destination().router().routeAfterBody(head.method(), request.uri(), reason);
    };
  }

  /**
   * Copies a body that passes through, so that the request can fail over.
   *
   * @param whole the body, borrowed; null when it follows
   * @return null when the request can't fail over
   */
  public @Nullable ReplayableBody copyForReplay(@Nullable ByteBuf whole) {
    if (failover == Failover.USED || !hasBody || !canFailOverWithBody()) {
      return null;
    }
    if (whole != null) {
      return ReplayableBody.ofComplete(bodyBudget(), whole);
    }
    if (!HttpHeaderRules.isPlainlyFramed(request)) {
      return null;
    }
    long max = Math.min(MAX_REPLAYABLE_BYTES, maxBufferedBytes() / 4);
    return ReplayableBody.ofStreaming(bodyBudget(), length > max ? 0 : (int) max);
  }

  private boolean canFailOverWithBody() {
    Destination current = destination();
    return !current.transformsBodies()
        && current.hasFailoverDestination(head.method(), originalUri);
  }

  // Delegation.

  /**
   * Applies the limits of coordinated requests to one that a node carries out in the gateway's
   * place; does nothing for others.
   *
   * @param expiryHandler called when the deadline passes
   * @return why the request must not be sent; null when it may
   */
  public @Nullable ProxyFailure startDelegation(
      RequestRouter.PassThrough decision, Consumer<ProxyFailure> expiryHandler) {
    if (delegated != null) {
      delegated.continueWith(expiryHandler);
      return null;
    }
    if (decision.delegatedAction() == null) {
      return null;
    }
    return switch (environment
        .headerFilter()
        .startDelegation(head, tenant(), destination().policy())) {
      case Delegation.Rejected(ProxyFailure failure, long id) -> {
        log.setId(id);
        yield failure;
      }
      case Delegation.Started started -> {
        long now = environment.nanoClock().getAsLong();
        delegated = new DelegatedRequest(started, channel.eventLoop(), now, expiryHandler);
        yield null;
      }
    };
  }

  /** Called when the request has ended. */
  void onRequestEnd() {
    if (delegated != null) {
      delegated.end();
    }
    if (destination != null) {
      destination.onRequestEnd(log.status(), nodesLost);
      log.setCluster(destination.clusterName());
    }
  }
}
