package dev.weir.rest.release;

import org.opensearch.OpenSearchException;
import org.opensearch.core.rest.RestStatus;

/**
 * No node of the request's cluster answers, and the cluster's traffic was sent elsewhere, so the
 * gateway waits no longer. A request that is repeated goes to the other cluster.
 */
public final class ReleasedRequestException extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private static final String WHY =
      "no node of the cluster answers, and its traffic was sent to another cluster";

  private final RestStatus status;

  private ReleasedRequestException(RestStatus status, String what) {
    super(WHY + what);
    this.status = status;
  }

  /** For a request that changes nothing. */
  public static ReleasedRequestException forRead() {
    return new ReleasedRequestException(
        RestStatus.GATEWAY_TIMEOUT, ": the request was stopped without a result");
  }

  /** For a write that was sent to a node. At 502 to 504, clients would send it again unasked. */
  public static ReleasedRequestException forSentWrite() {
    return new ReleasedRequestException(
        RestStatus.REQUEST_TIMEOUT,
        ": the write was sent to a node that has not answered, its outcome on that cluster is not"
            + " known; the other cluster did not get it");
  }

  /** For a write that no node got. */
  public static ReleasedRequestException forUnsentWrite() {
    return new ReleasedRequestException(
        RestStatus.SERVICE_UNAVAILABLE, ": the write was not sent to a node, nothing was done");
  }

  @Override
  public RestStatus status() {
    return status;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // the message says all
  }
}
