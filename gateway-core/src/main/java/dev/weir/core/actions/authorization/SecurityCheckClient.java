package dev.weir.core.actions.authorization;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Asks a node over REST, with a client's own credentials. Safe on any thread; never blocks. */
@FunctionalInterface
public interface SecurityCheckClient {
  /**
   * Sends a question to a node.
   *
   * @return completes on any thread with the node's response, exceptionally if there is none. To
   *     cancel it ends the question
   */
  CompletableFuture<CheckResponse> ask(SecurityCheckRequest question);

  /** Returns a future of what an answer means; to cancel it cancels the question. */
  static <A, V> CompletableFuture<V> map(CompletableFuture<A> asked, Function<A, V> meaning) {
    CompletableFuture<V> mapped = asked.thenApply(meaning);
    mapped.whenComplete((value, failure) -> {
      if (mapped.isCancelled()) {
        asked.cancel(true);
      }
    });
    return mapped;
  }

  /**
   * A node's response.
   *
   * @param body the whole body; UTF-8
   */
  record CheckResponse(int status, String body) {
    private static final int OK = 200;

    boolean isOk() {
      return status == OK;
    }
  }
}
