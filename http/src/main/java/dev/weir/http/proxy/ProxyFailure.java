package dev.weir.http.proxy;

import dev.weir.http.error.ErrorBody;
import dev.weir.http.error.RejectionResponses;
import dev.weir.model.HttpStatus;
import java.util.Map;

/**
 * Why a node's response could not be passed on.
 *
 * @param effect whether a node may have carried the request out
 * @param status the client's status if no byte of a response has left: 502, 503, 504, or that of a
 *     rejection
 * @param type the error's type, in OpenSearch's spelling
 * @param reason the message
 */
public record ProxyFailure(Effect effect, int status, String type, String reason) {
  /** What is known of a request that got no response of a node. */
  public enum Effect {
    /** No node has carried it out, and none will. */
    NONE,
    /** It was sent to a node, which may have carried it out. */
    UNCERTAIN
  }

  /** Creates the failure of a request that no node carries out. */
  public static ProxyFailure withoutEffect(int status, String type, String reason) {
    return new ProxyFailure(Effect.NONE, status, type, reason);
  }

  /** Creates the failure of a request that a node may have carried out. */
  public static ProxyFailure uncertain(int status, String type, String reason) {
    return new ProxyFailure(Effect.UNCERTAIN, status, type, reason);
  }

  /**
   * Returns the reason when no other node can be tried.
   *
   * @param tried nodes that could not be reached
   */
  static String noNode(int tried) {
    return tried == 0
        ? "no node of the cluster is known to answer REST requests"
            + "; /readyz of the admin port says why"
        : "could not connect to any node, tried " + tried;
  }

  /** Returns the reason when the request's cluster was left and none of its nodes answers. */
  static String released(Effect effect) {
    return "no node of the cluster answers, and its traffic was sent to another cluster: "
        + switch (effect) {
          case NONE -> "the request was not sent to a node, nothing was done";
          case UNCERTAIN ->
              "the request was sent to a node that has not answered, its outcome on that cluster is"
                  + " not known";
        };
  }

  /** Returns the error that the client gets. */
  public ErrorBody errorBody() {
    return new ErrorBody(status, type, reason);
  }

  /** Returns whether the nodes are reachable: another cluster must not get the request. */
  public boolean isRejection() {
    return status < HttpStatus.INTERNAL_SERVER_ERROR;
  }

  /** Returns whether no node has carried out the request, nor will. */
  public boolean isWithoutEffect() {
    return effect == Effect.NONE;
  }

  /** Returns the kind of failure for traces. */
  public String kind() {
    if (isWithoutEffect()) {
      return "not-sent";
    }
    return status == HttpStatus.GATEWAY_TIMEOUT || status == HttpStatus.REQUEST_TIMEOUT
        ? "timed-out"
        : "connection-lost";
  }

  /** Returns whether the client may send the request again soon. */
  public boolean isSaturation() {
    return status == HttpStatus.TOO_MANY_REQUESTS;
  }

  /** Returns the headers of the error. */
  public Map<String, String> errorHeaders() {
    return isSaturation() ? RejectionResponses.RETRY_AFTER_HEADERS : Map.of();
  }
}
