package dev.weir.model;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a request is handled, from its request line and before its body is read. Pure; called
 * on event loops.
 */
@FunctionalInterface
public interface RequestRouter {
  /** How a request is handled. */
  sealed interface Decision {}

  /**
   * The gateway buffers the body and coordinates the request.
   *
   * @param action the kind of request as {@link CompletedRequest#action()} shows it: {@code
   *     search}, {@code bulk}, ...
   * @param streamingOptions how a large body is processed while it arrives; null to always buffer
   *     it
   */
  record Coordinate(String action, @Nullable BodyStreamingOptions streamingOptions)
      implements Decision {
    /** Coordinates with a buffered body. */
    public Coordinate(String action) {
      this(action, null);
    }
  }

  /**
   * The gateway buffers the body and answers the request itself.
   *
   * @param action the kind of request as {@link CompletedRequest#action()} shows it
   */
  record RespondLocally(String action) implements Decision {}

  /**
   * The request streams through to a node's REST port.
   *
   * @param reason a short kebab-case word for the metrics, such as {@code not-coordinated}
   * @param onSuccess called on the client channel's event loop when a node confirmed the request;
   *     the response to the client waits for the returned stage; null for none
   * @param onUncertainOutcome called likewise when the request may have been executed without a
   *     confirmation; null for none
   * @param observer observes the request and its response; null for none
   * @param streamsBody whether a node gets the body as it arrives, because the client may wait for
   *     a part of the response before it sends more; other bodies are gathered first
   * @param delegatedAction the kind of request that a node carries out in the gateway's place,
   *     under the limits of coordinated requests; null for other requests
   */
  record PassThrough(
      String reason,
      @Nullable Supplier<CompletionStage<?>> onSuccess,
      @Nullable UncertainOutcomeHandler onUncertainOutcome,
      @Nullable PassThroughObserver observer,
      boolean streamsBody,
      @Nullable String delegatedAction)
      implements Decision {
    /** The reason of a request whose body is too large to be buffered. */
    public static final String LARGE_BODY = "large-body";

    /** A response that waits for nothing. */
    public PassThrough(String reason) {
      this(reason, null, null, null, false, null);
    }

    /** Without a handler of uncertain outcomes. */
    public PassThrough(String reason, @Nullable Supplier<CompletionStage<?>> onSuccess) {
      this(reason, onSuccess, null, null, false, null);
    }

    /** Without an observer. */
    public PassThrough(
        String reason,
        @Nullable Supplier<CompletionStage<?>> onSuccess,
        @Nullable UncertainOutcomeHandler onUncertainOutcome) {
      this(reason, onSuccess, onUncertainOutcome, null, false, null);
    }

    /** A request that a node carries out in the gateway's place. */
    public static PassThrough delegated(String reason, String action) {
      return new PassThrough(reason, null, null, null, false, action);
    }

    /** Returns a copy with an observer. */
    public PassThrough withObserver(PassThroughObserver added) {
      return new PassThrough(
          reason, onSuccess, onUncertainOutcome, added, streamsBody, delegatedAction);
    }

    /** Returns a copy whose body a node gets as it arrives. */
    public PassThrough streamingBody() {
      return new PassThrough(
          reason, onSuccess, onUncertainOutcome, observer, true, delegatedAction);
    }

    /**
     * Returns a copy with one more action that runs when a node has confirmed the request. The
     * action starts after the existing one has completed, whether that succeeded or failed. The
     * response waits for both.
     */
    public PassThrough thenOnSuccess(Supplier<CompletionStage<?>> action) {
      Supplier<CompletionStage<?>> first = onSuccess;
      return new PassThrough(
          reason,
          first == null ? action : () -> inSequence(first.get(), action),
          onUncertainOutcome,
          observer,
          streamsBody,
          delegatedAction);
    }

    /**
     * Returns a copy with one more handler of an uncertain outcome, which runs after the existing
     * one.
     */
    public PassThrough thenOnUncertainOutcome(UncertainOutcomeHandler handler) {
      UncertainOutcomeHandler first = onUncertainOutcome;
      return new PassThrough(
          reason,
          onSuccess,
          first == null
              ? handler
              : status -> inSequence(first.handle(status), () -> handler.handle(status)),
          observer,
          streamsBody,
          delegatedAction);
    }

    private static CompletionStage<?> inSequence(
        CompletionStage<?> first, Supplier<CompletionStage<?>> action) {
      return first.handle((done, failure) -> 0).thenCompose(ignored -> action.get());
    }
  }

  /** Handles a request that may have reached a node without a confirmation. */
  @FunctionalInterface
  interface UncertainOutcomeHandler {
    /** There is no response, or its rest is missing. */
    int NO_RESPONSE = 0;

    /**
     * Starts the work that the response to the client, if any, waits for. Called on the client
     * channel's event loop.
     *
     * @param status an HTTP status other than 2xx; {@link #NO_RESPONSE} for none
     */
    CompletionStage<?> handle(int status);
  }

  /**
   * Decides how a request is handled.
   *
   * @param method the method in upper case
   * @param uri path and query as sent
   */
  Decision route(String method, String uri);

  /**
   * Decides about a request that was to be coordinated but whose body is too large to be buffered.
   */
  default PassThrough routeLargeBody(String method, String uri) {
    return new PassThrough(PassThrough.LARGE_BODY);
  }

  /**
   * Returns the check of a body that is too large to be buffered, before it passes through; null
   * for none.
   */
  default @Nullable LargeBodyCheck largeBodyCheck(String method, String uri) {
    return null;
  }

  /**
   * Decides about a request that was to be coordinated but whose body shows that only a node can
   * answer it.
   *
   * @param reason a short kebab-case word for the metrics
   */
  default PassThrough routeAfterBody(String method, String uri, String reason) {
    return new PassThrough(reason);
  }
}
