package dev.weir.core.actions;

import dev.weir.core.coordinate.WriteOperation.UncertaintyReason;
import dev.weir.model.RequestContext;
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
    super(
        "{}; the outcome is not known, don't send it again unseen: {}",
        why,
        known,
        describeCause(why));
  }

  private static String describeCause(Exception why) {
    String message = why.getMessage();
    return message == null ? why.getClass().getSimpleName() : message;
  }

  /** What is known of a write of which nobody knows whether it was done. */
  static OutcomeUnknownException forReason(UncertaintyReason doubt, Exception why) {
    return new OutcomeUnknownException(
        switch (doubt) {
          case NO_RESPONSE ->
              "it was sent to a node that has not answered in time: it may have been done, or be"
                  + " done yet";
          case NO_MEMORY_FOR_RESPONSE ->
              "it was sent to a node that has answered, and there was no room for the answer: it"
                  + " was done unless the answer said otherwise";
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
        why);
  }

  /**
   * What is told of a write of which an attempt was lost before it was planned anew, and that is
   * not sent again.
   *
   * @param why it is not
   */
  static Exception afterLostAttempt(RequestContext context, Exception why) {
    return switch (why) {
      case OutcomeUnknownException told -> told;
      case DeadlineExceededException late ->
          DeadlineExceededException.forWrite(
              context.deadline(), DeadlineExceededException.WriteState.UNKNOWN);
      default -> forReason(UncertaintyReason.ATTEMPT_LOST, why);
    };
  }

  /**
   * What is told of a write that must not be repeated.
   *
   * @param why its attempt failed: a refusal says that nothing was done
   */
  static Exception forUnsafeRetry(Exception why) {
    return WriteFailureClassifier.isRejected(why)
        ? why
        : forReason(UncertaintyReason.ATTEMPT_LOST, why);
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
