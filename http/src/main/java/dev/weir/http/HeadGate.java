package dev.weir.http;

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
public interface HeadGate {
  /** Lets everybody in, and tells nobody apart. */
  HeadGate OPEN =
      new HeadGate() {
        @Override
        public boolean open(RequestPolicy policy) {
          return true;
        }

        @Override
        public @Nullable Visit visit(
            RequestHead head, RequestRouter.Way way, RequestPolicy policy) {
          return null;
        }
      };

  /** What becomes of a request now. */
  sealed interface Verdict {}

  /** It goes on. */
  record Enter() implements Verdict {
    /** It goes on. */
    public static final Enter NOW = new Enter();
  }

  /**
   * It asks again.
   *
   * @param nanos after so many nanoseconds
   */
  record Wait(long nanos) implements Verdict {}

  /**
   * It is answered with an error; its body is read and thrown away, or not sent at all.
   *
   * @param headers of the answer, such as {@code Retry-After}
   * @param number the gateway's number for it; 0 for none
   */
  record Refuse(ErrorBody error, Map<String, String> headers, long number) implements Verdict {}

  /** One request at the gate and after it; confined to the request's event loop. */
  interface Visit {
    /** Whose request it is. */
    default String tenant() {
      return RequestContext.DEFAULT_TENANT;
    }

    /** Asks to be let in; again after each {@link Wait}. */
    Verdict ask();

    /** Bytes of the body came, as sent. */
    default void received(int bytes) {}

    /**
     * The request is over: answered, refused or left by its client, be it at the gate. Called once.
     *
     * @param answerBytes of the answer's body that were sent
     */
    default void over(long answerBytes) {}
  }

  /**
   * Whether all of a policy may go on now, with nothing to tell of them: nobody has to ask. Cheap.
   */
  boolean open(RequestPolicy policy);

  /**
   * A request has come.
   *
   * @param way that it goes once it is in
   * @param policy that it goes by
   * @return null when it may go on, with nothing to tell of it
   */
  @Nullable Visit visit(RequestHead head, RequestRouter.Way way, RequestPolicy policy);
}
