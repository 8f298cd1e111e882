package dev.weir.http.intake;

import dev.weir.http.error.ErrorBody;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the head of every request, be it coordinated or passed through, before any byte of its
 * body is read or paid for, and lets it in, refuses it, or lets it wait: meanwhile nothing more is
 * read of its connection (HTTP/2: of its stream). Called on event loops, of many connections at
 * once.
 */
public interface HeaderFilter {
  /** Lets everybody in, and tells nobody apart. */
  HeaderFilter ADMIT_ALL =
      new HeaderFilter() {
        @Override
        public boolean admitsAll(RequestPolicy policy) {
          return true;
        }

        @Override
        public @Nullable Session startSession(
            RequestHead head, RequestRouter.Decision way, RequestPolicy policy) {
          return null;
        }
      };

  /** What becomes of a request now. */
  sealed interface Result {}

  /** It goes on. */
  record Admit() implements Result {
    /** It goes on. */
    public static final Admit NOW = new Admit();
  }

  /**
   * It asks again.
   *
   * @param nanos after so many nanoseconds
   */
  record Delay(long nanos) implements Result {}

  /**
   * It is answered with an error; its body is read and thrown away, or not sent at all.
   *
   * @param headers of the answer, such as {@code Retry-After}
   * @param requestId the gateway's number for it; 0 for none
   */
  record Reject(ErrorBody error, Map<String, String> headers, long requestId) implements Result {}

  /** One request at the gate and after it; confined to the request's event loop. */
  interface Session {
    /** Whose request it is. */
    default String tenant() {
      return RequestContext.DEFAULT_TENANT;
    }

    /** Asks to be let in; again after each {@link Delay}. */
    Result tryAdmit();

    /** Bytes of the body came, as sent. */
    default void onBytesReceived(int bytes) {}

    /**
     * The request is over: answered, refused or left by its client, be it at the gate. Called once.
     *
     * @param answerBytes of the answer's body that were sent
     */
    default void onRequestEnd(long answerBytes) {}
  }

  /**
   * Whether all of a policy may go on now, with nothing to tell of them: nobody has to ask. Cheap.
   */
  boolean admitsAll(RequestPolicy policy);

  /**
   * A request has come.
   *
   * @param way that it goes once it is in
   * @param policy that it goes by
   * @return null when it may go on, with nothing to tell of it
   */
  @Nullable Session startSession(
      RequestHead head, RequestRouter.Decision way, RequestPolicy policy);
}
