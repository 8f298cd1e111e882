package dev.weir.core.actions.deadline;

import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.rest.release.ReleasedRequestException;
import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * The deadline of a request passed before its response.
 *
 * <p>Its status is 408 and none of 502 to 504: at those OpenSearch's own clients consider the
 * gateway dead and send the request again. A write must not be repeated unasked, and a repeated
 * search adds to a load that is already too high.
 */
public final class DeadlineExceededException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  /** Whether a write without a result was done. */
  public enum WriteState {
    /** It was not sent. */
    NOT_WRITTEN,
    /** It was sent, and its result is unknown. */
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

  /** For a request that changes nothing. */
  public static DeadlineExceededException forRead(Deadline deadline) {
    return new DeadlineExceededException(
        deadline, ": the work for it was stopped; ask for less, or wait for longer");
  }

  /**
   * For a write that ends before its response, at its deadline or because it is released.
   *
   * @param context of the write
   */
  public static OpenSearchException forWrite(RequestContext context, WriteState done) {
    if (!context.isReleased()) {
      return forWrite(context.deadline(), done);
    }
    return switch (done) {
      case NOT_WRITTEN -> ReleasedRequestException.forUnsentWrite();
      case UNKNOWN -> ReleasedRequestException.forSentWrite();
    };
  }

  /** For a write. */
  public static DeadlineExceededException forWrite(Deadline deadline, WriteState done) {
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

  /** Returns the status as a number. */
  public int statusCode() {
    return status().getStatus();
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // the message says all
  }
}
