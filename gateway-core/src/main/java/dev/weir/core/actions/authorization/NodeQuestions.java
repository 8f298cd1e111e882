package dev.weir.core.actions.authorization;

import java.util.concurrent.CompletableFuture;

/** Asks a node over REST, with a client's own credentials. Safe on any thread; never blocks. */
@FunctionalInterface
public interface NodeQuestions {
  /**
   * Sends a question to a node.
   *
   * @return completes on any thread with the node's response, exceptionally if there is none
   */
  CompletableFuture<NodeAnswer> ask(NodeQuestion question);

  /**
   * A node's response.
   *
   * @param body the whole body; UTF-8
   */
  record NodeAnswer(int status, String body) {
    private static final int OK = 200;

    boolean isOk() {
      return status == OK;
    }
  }
}
