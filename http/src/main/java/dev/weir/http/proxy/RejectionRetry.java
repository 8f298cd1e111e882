package dev.weir.http.proxy;

import dev.weir.model.HttpStatus;
import dev.weir.model.RetryAdvice;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request goes to a second node because the first one rejected it with 429: its parent
 * circuit breaker is over its limit for a moment, or a queue is full, and another node may have
 * room. One request does so once; the client gets the second node's response, whatever it is.
 * Confined to the request's event loop.
 */
final class RejectionRetry {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private enum State {
    AVAILABLE,
    USED
  }

  private final ProxyContext context;
  private final UpstreamRequest request;
  private State state = State.AVAILABLE;

  RejectionRetry(ProxyContext context, UpstreamRequest request) {
    this.context = context;
    this.request = request;
  }

  /**
   * Returns the node that gets the request after this response; null when the client gets the
   * response. Decides before anything of the response is dropped.
   *
   * @param tried all nodes that got the request or could not be reached; the node of the response
   *     is added to them if it may be repeated
   */
  @Nullable InetSocketAddress nextNode(
      HttpResponseStatus status, InetSocketAddress node, List<InetSocketAddress> tried) {
    if (status.code() != HttpResponseStatus.TOO_MANY_REQUESTS.code()
        || state == State.USED
        || request.isStreaming()
        || !context.options().repeatable().contains(request.method().name(), request.uri())) {
      return null;
    }
    tried.add(node);
    InetSocketAddress next = context.targets().pickReachable(tried);
    if (next != null) {
      state = State.USED;
      context.rejectionRetries().increment();
    }
    return next;
  }

  /**
   * Returns what the client gets when no further node could be reached: after a rejection still
   * 429, because a node is there and may have room soon.
   */
  ProxyFailure describe(ProxyFailure failure) {
    if (state == State.AVAILABLE || failure.status() != HttpStatus.SERVICE_UNAVAILABLE) {
      return failure;
    }
    String advice =
        RetryAdvice.retry(
            RETRY_AFTER, "the node's indices.breaker.total.limit or thread_pool.search.queue_size");
    return ProxyFailure.withoutEffect(
        HttpResponseStatus.TOO_MANY_REQUESTS.code(),
        "rejected_execution_exception",
        "a node rejected the request with 429, and no other node could be reached" + advice);
  }
}
