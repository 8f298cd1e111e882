package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;

/** Runs a request that consists of one round of calls, such as clearing a scroll. */
public final class SingleRoundRunner {
  private SingleRoundRunner() {}

  /**
   * Sends the round. Calls of many {@linkplain NodeRound#payloadBytes bytes} wait for the outcomes
   * of others, and are sent even if the request is cancelled meanwhile. {@code end} runs on the
   * event loop when every call has its outcome.
   */
  public static <R> void start(
      NodeSender sender, NodeRound<R> round, RequestContext context, Runnable end) {
    OutstandingCalls calls = new OutstandingCalls(sender, context);
    new NodeFanOut<>(
            round,
            calls,
            () -> null,
            all -> {
              context.response().addHeaders(calls.responseHeaders());
              end.run();
            })
        .startPaced();
  }
}
