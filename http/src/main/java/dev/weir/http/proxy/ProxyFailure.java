package dev.weir.http.proxy;

import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import java.util.Map;

/**
 * Why a node's response could not be passed on.
 *
 * @param status the client's status if no byte of a response has left: 429, 502, 503 or 504
 * @param type the error's type, in OpenSearch's spelling
 * @param reason the message
 */
public record ProxyFailure(int status, String type, String reason) {
  private static final int TOO_MANY_REQUESTS = 429;

  /** Returns the error that the client gets. */
  public ErrorBody errorBody() {
    return new ErrorBody(status, type, reason);
  }

  /** Returns whether the nodes are reachable and at their limit. */
  public boolean isSaturation() {
    return status == TOO_MANY_REQUESTS;
  }

  /** Returns the headers of the error. */
  public Map<String, String> errorHeaders() {
    return isSaturation() ? RejectionResponses.RETRY_AFTER_HEADERS : Map.of();
  }
}
