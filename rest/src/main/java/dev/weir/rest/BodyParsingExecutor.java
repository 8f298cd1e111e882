package dev.weir.rest;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Parses long bodies on other threads than the event loops, and repeats attempts later. Safe on any
 * thread.
 */
public interface BodyParsingExecutor {
  /** Parses on the calling thread, and repeats no attempt. */
  BodyParsingExecutor DIRECT =
      new BodyParsingExecutor() {
        @Override
        public void execute(int bodyBytes, Runnable parse) {
          parse.run();
        }

        @Override
        public void executeLater(Executor eventLoop, Runnable attempt) {
          throw new RejectedExecutionException("got a later attempt (expected: none)");
        }
      };

  /**
   * Parses a body of this length.
   *
   * @throws RejectedExecutionException if too many bodies wait
   */
  void execute(int bodyBytes, Runnable parse);

  /**
   * Runs an attempt on an event loop after a pause of some milliseconds.
   *
   * @throws RejectedExecutionException if there is no later attempt
   */
  void executeLater(Executor eventLoop, Runnable attempt);
}
