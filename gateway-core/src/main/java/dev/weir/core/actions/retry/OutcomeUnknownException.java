package dev.weir.core.actions.retry;

import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.coordinate.write.WriteOperation.UncertaintyReason;
import dev.weir.model.RequestContext;
import dev.weir.rest.release.ReleasedRequestException;
import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * A write was sent to a node, and its result is unknown. Its status is 408, at which no client
 * repeats a request unasked, as with {@link DeadlineExceededException}; a 429 would make clients
 * write twice. Its cause says why the result is unknown.
 */
public final class OutcomeUnknownException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private OutcomeUnknownException(String known, Exception cause) {
    super(
        "{}; the outcome is not known, don't send it again unseen: {}",
        cause,
        known,
        describeCause(cause));
  }

  private static String describeCause(Exception cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  /** For a write of which nobody knows whether it was done. */
  public static OutcomeUnknownException forReason(UncertaintyReason reason, Exception cause) {
    return new OutcomeUnknownException(
        switch (reason) {
          case NO_RESPONSE ->
              "it was sent to a node that has not answered in time: it may have been done, or be"
                  + " done yet";
          case NO_MEMORY_FOR_RESPONSE ->
              "it was sent to a node that has responded, and the gateway had no memory for the"
                  + " response: it was done unless the answer said otherwise";
          case UNREADABLE_RESPONSE ->
              "it was sent to a node that has answered, and the answer could not be read: it may"
                  + " have been done";
          case ATTEMPT_LOST ->
              "it was sent to a node that was lost before it answered, and could not be sent again:"
                  + " it may have been done";
          case RETRY_FAILED ->
              "it was sent to a node that was lost before it answered, and failed when it was sent"
                  + " again: it may have been done the first time";
        },
        cause);
  }

  /**
   * For a write of which an attempt was lost before it was planned again, and that is not retried.
   *
   * @param cause it is not retried
   */
  public static Exception afterLostAttempt(RequestContext context, Exception cause) {
    return switch (cause) {
      case OutcomeUnknownException unknown -> unknown;
      case DeadlineExceededException late ->
          DeadlineExceededException.forWrite(
              context.deadline(), DeadlineExceededException.WriteState.UNKNOWN);
      case ReleasedRequestException released -> ReleasedRequestException.forSentWrite();
      default -> forReason(UncertaintyReason.ATTEMPT_LOST, cause);
    };
  }

  /**
   * For a write that must not be repeated.
   *
   * @param cause its attempt failed: a rejection means that nothing was done
   */
  public static Exception forUnsafeRetry(Exception cause) {
    return WriteFailureClassifier.isRejected(cause)
        ? cause
        : forReason(UncertaintyReason.ATTEMPT_LOST, cause);
  }

  @Override
  public RestStatus status() {
    return RestStatus.REQUEST_TIMEOUT;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // the message says all
  }
}
