package dev.weir.gateway.actions;

import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * A write was sent to a node, and what became of it can't be told. Its status is 408, which nobody
 * takes for a reason to send it again unasked, as with {@link DeadlineExceededException}; a 429
 * would have clients do it twice. Its cause is why it can't be told.
 */
final class OutcomeUnknownException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private OutcomeUnknownException(String known, Exception why) {
    super("{}; the outcome is not known, don't send it again unseen: {}", why, known, said(why));
  }

  private static String said(Exception why) {
    String message = why.getMessage();
    return message == null ? why.getClass().getSimpleName() : message;
  }

  /** A node has answered, and its answer was not read. */
  static OutcomeUnknownException unread(Exception why) {
    return new OutcomeUnknownException(
        "it was sent to a node that has answered, and there was no room for the answer: it was done"
            + " unless the answer said otherwise",
        why);
  }

  /** An attempt was lost on its way, and another one was not possible. */
  static OutcomeUnknownException lost(Exception why) {
    return new OutcomeUnknownException(
        "it was sent to a node that was lost before it answered, and could not be sent again: it"
            + " may have been done",
        why);
  }

  @Override
  public RestStatus status() {
    return RestStatus.REQUEST_TIMEOUT;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // says nothing that the message does not
  }
}
