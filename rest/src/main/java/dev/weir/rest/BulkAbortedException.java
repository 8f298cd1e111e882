package dev.weir.rest;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * A bulk that was carried out while it came could not be carried out to its end: a node would have
 * read all of it first, and done nothing.
 *
 * <p>Its status is that of the cause, but never one at which clients send all of it again by
 * themselves.
 */
final class BulkAbortedException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private static final Pattern LINE_NUMBER = Pattern.compile("line \\[(\\d+)]");

  private final RestStatus status;

  /**
   * Makes it.
   *
   * @param executed how many items were carried out, all from the first on
   */
  BulkAbortedException(long executed, Exception cause) {
    super(
        "executed the first [{}] items of the bulk while it came, with the results in [items], and"
            + " none after them: {}",
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

  /**
   * What is wrong with a section, with the number that a line has in the whole bulk.
   *
   * @param before how many lines came before the section
   */
  static Exception withBulkLineNumber(Exception wrong, long before) {
    String message = wrong.getMessage();
    if (wrong.getClass() != IllegalArgumentException.class || message == null) {
      return wrong;
    }
    Matcher line = LINE_NUMBER.matcher(message);
    if (!line.find()) {
      return wrong;
    }
    long number = before + Long.parseLong(line.group(1));
    return new IllegalArgumentException(
        message.substring(0, line.start(1)) + number + message.substring(line.end(1)));
  }

  @Override
  public RestStatus status() {
    return status;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // says nothing that the message does not
  }
}
