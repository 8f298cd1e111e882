package dev.weir.core.actions;

import dev.weir.model.Deadline;
import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * A request's deadline has passed before it had an answer.
 *
 * <p>Its status is 408 and none of 502 to 504: at those OpenSearch's own clients take the gateway
 * for dead and send the request again, which of a write nobody may do unasked, and of a search
 * makes more of a load that is too much already.
 */
final class DeadlineExceededException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  /** Whether a write that was not answered was done. */
  enum WriteState {
    /** It was not: it was not sent. */
    NOT_WRITTEN,
    /** Nobody knows: it was sent. */
    UNKNOWN
  }

  private DeadlineExceededException(Deadline deadline, String what) {
    super(
        "got no answer within [{}ms], the deadline set by [{}]{}",
        millis(deadline),
        deadlineSource(deadline),
        what);
    addMetadata("opensearch.deadline_ms", Long.toString(millis(deadline)));
    addMetadata("opensearch.deadline_set_by", deadlineSource(deadline));
  }

  private static long millis(Deadline deadline) {
    return deadline.timeout().toMillis();
  }

  private static String deadlineSource(Deadline deadline) {
    return deadline.setBy();
  }

  /** Of something that changes nothing. */
  static DeadlineExceededException forRead(Deadline deadline) {
    return new DeadlineExceededException(
        deadline, ": the work for it was stopped; ask for less, or wait for longer");
  }

  /** Of a write. */
  static DeadlineExceededException forWrite(Deadline deadline, WriteState done) {
    return new DeadlineExceededException(
        deadline,
        switch (done) {
          case NOT_WRITTEN -> ": it was not sent to a node, nothing was done";
          case UNKNOWN ->
              ": it was sent to a node that has not answered, the outcome is not known: it may have"
                  + " been done, or be done yet";
        });
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
