package dev.weir.http.intake;

import dev.weir.http.error.ErrorBody;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Admits, delays or rejects every request by its headers, before any byte of its body is read or
 * charged. While a request is delayed, nothing more is read of its connection (HTTP/2: of its
 * stream). Called on event loops, of many connections at once.
 */
public interface HeaderFilter {
  /** Admits every request and gives all of them the default tenant. */
  HeaderFilter ADMIT_ALL =
      new HeaderFilter() {
        @Override
        public boolean admitsAll(RequestPolicy policy) {
          return true;
        }

        @Override
        public @Nullable Session startSession(
            RequestHead head, RequestRouter.Decision decision, RequestPolicy policy) {
          return null;
        }
      };

  /** The outcome of one attempt to admit a request. */
  sealed interface Result {}

  /** The request is admitted. */
  record Admit() implements Result {
    public static final Admit NOW = new Admit();
  }

  /**
   * The request waits.
   *
   * @param nanos until the next {@link Session#tryAdmit}, in nanoseconds
   */
  record Delay(long nanos) implements Result {}

  /**
   * The request is rejected with an error. Its body is read and dropped, or never sent.
   *
   * @param headers of the response, such as {@code Retry-After}
   * @param requestId the gateway's id of the request; 0 for none
   */
  record Reject(ErrorBody error, Map<String, String> headers, long requestId) implements Result {}

  /** Follows one request from its admission to its end. Confined to the request's event loop. */
  interface Session {
    default String tenant() {
      return RequestContext.DEFAULT_TENANT;
    }

    /** Tries to admit the request. Called again after each {@link Delay}. */
    Result tryAdmit();

    /** Called when bytes of the body, as sent by the client, have arrived. */
    default void onBytesReceived(int bytes) {}

    /**
     * Called once when the request has ended: responded to, rejected, or abandoned by its client,
     * even while delayed.
     *
     * @param responseBytes bytes of the response's body that were sent
     */
    default void onRequestEnd(long responseBytes) {}
  }

  /**
   * Returns whether every request of a policy is admitted now, and none needs a {@link Session}.
   * Cheap.
   */
  boolean admitsAll(RequestPolicy policy);

  /**
   * Applies the limits of coordinated requests to one that a node carries out in the gateway's
   * place. Called when its body has arrived, or is about to stream.
   */
  default Delegation startDelegation(RequestHead head, String tenant, RequestPolicy policy) {
    return Delegation.UNLIMITED;
  }

  /**
   * Starts a session for a request whose headers have arrived.
   *
   * @param decision how the request will be served
   * @param policy the request's policy
   * @return null when the request is admitted and needs no session
   */
  @Nullable Session startSession(
      RequestHead head, RequestRouter.Decision decision, RequestPolicy policy);
}
