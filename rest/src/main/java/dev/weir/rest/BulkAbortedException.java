package dev.weir.rest;

import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * The failure of a streaming bulk after its first section. A node would read the whole body first
 * and, after such an error, execute nothing.
 *
 * <p>Its status is that of the cause, except for statuses that make clients resend the whole bulk
 * automatically.
 */
final class BulkAbortedException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private final RestStatus status;

  /**
   * Creates the exception.
   *
   * @param executed the number of executed items, counted from the first one
   */
  BulkAbortedException(long executed, Exception cause) {
    super(
        "executed the first [{}] items of the bulk while it arrived, with the results in [items],"
            + " and none after them: {}",
        cause,
        executed,
        cause.getMessage());
    addMetadata("opensearch.executed_items", Long.toString(executed));
    this.status = statusOf(cause);
  }

  private static RestStatus statusOf(Exception cause) {
    RestStatus status = ExceptionsHelper.status(cause);
    return status == RestStatus.TOO_MANY_REQUESTS || status.getStatus() > 500
        ? RestStatus.INTERNAL_SERVER_ERROR
        : status;
  }

  @Override
  public RestStatus status() {
    return status;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // a stack trace adds nothing to the message
  }
}
