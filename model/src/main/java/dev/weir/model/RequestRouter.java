package dev.weir.model;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the head of a request, before its body is read, which way it goes. Pure; called on
 * event loops.
 */
@FunctionalInterface
public interface RequestRouter {
  /** The way a request goes. */
  sealed interface Decision {}

  /**
   * The body is gathered and the request is coordinated by the gateway.
   *
   * @param action what it is, as {@link CompletedRequest#action()} shows it: {@code search}, {@code
   *     bulk}, ...
   * @param streamingOptions how its body is worked on while it comes when it is large; null when it
   *     is gathered
   */
  record Coordinate(String action, @Nullable BodyStreamingOptions streamingOptions)
      implements Decision {
    /** With a body that is gathered. */
    public Coordinate(String action) {
      this(action, null);
    }
  }

  /**
   * The body is gathered and the request is answered with what the gateway says itself.
   *
   * @param action what it is, as {@link CompletedRequest#action()} shows it
   */
  record RespondLocally(String action) implements Decision {}

  /**
   * The request streams through to a node's REST port.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code not-coordinated}
   * @param onSuccess starts, when a node says that it did what was asked, what the client's answer
   *     then waits for, on the client channel's event loop; null for nothing
   * @param onUncertainOutcome the same when it is not sure that nothing was done; null for nothing
   * @param observer looks on; null for nobody
   */
  record PassThrough(
      String reason,
      @Nullable Supplier<CompletionStage<?>> onSuccess,
      @Nullable UncertainOutcomeHandler onUncertainOutcome,
      @Nullable PassThroughObserver observer)
      implements Decision {
    /** The reason of a request whose body is too large to be gathered. */
    public static final String LARGE_BODY = "large-body";

    /** With an answer that waits for nothing. */
    public PassThrough(String reason) {
      this(reason, null, null, null);
    }

    /** With nobody who has to hear of doubts. */
    public PassThrough(String reason, @Nullable Supplier<CompletionStage<?>> settling) {
      this(reason, settling, null, null);
    }

    /** With nobody who looks on. */
    public PassThrough(
        String reason,
        @Nullable Supplier<CompletionStage<?>> settling,
        @Nullable UncertainOutcomeHandler doubt) {
      this(reason, settling, doubt, null);
    }

    /** The same with an observer. */
    public PassThrough withObserver(PassThroughObserver added) {
      return new PassThrough(reason, onSuccess, onUncertainOutcome, added);
    }

    /**
     * The same, with an action that runs when a node has confirmed the request, behind what the
     * client's answer waits for already, whether that succeeded or failed. The answer waits for the
     * action too.
     */
    public PassThrough thenOnSuccess(Supplier<CompletionStage<?>> action) {
      Supplier<CompletionStage<?>> first = onSuccess;
      return new PassThrough(
          reason,
          first == null ? action : () -> inSequence(first.get(), action),
          onUncertainOutcome,
          observer);
    }

    /** The same, with one more handler of an uncertain outcome, which runs behind the first. */
    public PassThrough thenOnUncertainOutcome(UncertainOutcomeHandler handler) {
      UncertainOutcomeHandler first = onUncertainOutcome;
      return new PassThrough(
          reason,
          onSuccess,
          first == null
              ? handler
              : status -> inSequence(first.handle(status), () -> handler.handle(status)),
          observer);
    }

    private static CompletionStage<?> inSequence(
        CompletionStage<?> first, Supplier<CompletionStage<?>> action) {
      return first.handle((done, failure) -> 0).thenCompose(ignored -> action.get());
    }
  }

  /** Hears of a request that may have reached a node, which did not say that it was done. */
  @FunctionalInterface
  interface UncertainOutcomeHandler {
    /** There is no answer, or no more of one. */
    int NO_RESPONSE = 0;

    /**
     * Starts what the client's answer waits for, if there is one, on the client channel's event
     * loop.
     *
     * @param status as of HTTP, other than 2xx; {@link #NO_RESPONSE} for none
     */
    CompletionStage<?> handle(int status);
  }

  /**
   * Chooses the way.
   *
   * @param method the method in upper case
   * @param uri path and query as sent
   */
  Decision route(String method, String uri);

  /** The way of a request that would be coordinated, but whose body is too large to be gathered. */
  default PassThrough routeLargeBody(String method, String uri) {
    return new PassThrough(PassThrough.LARGE_BODY);
  }

  /**
   * The way of a request that was to be coordinated, and that turned out to be a node's when its
   * body had been read.
   *
   * @param reason why, a short kebab-case word for the metrics
   */
  default PassThrough routeAfterBody(String method, String uri, String reason) {
    return new PassThrough(reason);
  }
}
