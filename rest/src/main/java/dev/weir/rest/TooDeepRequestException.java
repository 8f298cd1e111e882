package dev.weir.rest;

import dev.weir.model.HttpExchange;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.rest.RestStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request with so many levels of queries, aggregations or arrays that a thread's stack overflows.
 * A node closes the connection without a response there, or ends. The gateway's threads have a
 * stack of the same size as a node's, so that a node never receives more levels than it accepts
 * from a client.
 */
final class TooDeepRequestException extends OpenSearchStatusException {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(TooDeepRequestException.class);

  private TooDeepRequestException() {
    super(
        "the request has too many levels of queries, aggregations or arrays (expected: a few"
            + " hundred at most)",
        RestStatus.BAD_REQUEST);
  }

  /** Creates the exception and logs one line without a stack trace. */
  static TooDeepRequestException create(HttpExchange exchange) {
    LOG.debug("{} {} has too many levels", exchange.method(), exchange.uri());
    return new TooDeepRequestException();
  }

  /** Returns this: a thousand equal frames would say nothing. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
