package dev.weir.rest;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Provides long requests with executors of their own, so that no event loop parses their bodies,
 * plans their items or writes their responses. Safe on any thread.
 */
public interface LongRequestPool {
  /** Keeps every request on its event loop, and waits for nothing. */
  LongRequestPool NONE =
      new LongRequestPool() {
        @Override
        public @Nullable RequestExecutor open(int bodyBytes) {
          return null;
        }

        @Override
        public Runnable schedule(Duration delay, Executor executor, Runnable action) {
          throw new RejectedExecutionException("got a later action (expected: none)");
        }

        @Override
        public void awaitPassThrough(long number, String client, Runnable pass, Runnable reject) {
          pass.run();
        }

        @Override
        public void leavePassThrough(long number) {
          // nothing waits
        }
      };

  /** Runs the tasks of one request one at a time, in order. Safe on any thread. */
  interface RequestExecutor extends Executor, AutoCloseable {
    /** Lets another request take the place of this one; tasks that come later still run. */
    @Override
    void close();
  }

  /**
   * Opens an executor for a request with a body of this length; the caller closes it at the end of
   * the request.
   *
   * @return null to keep the request on its event loop
   * @throws RejectedExecutionException if too many requests have executors
   */
  @Nullable RequestExecutor open(int bodyBytes);

  /**
   * Runs an action on an executor after a delay, unless it is cancelled before.
   *
   * @return cancels the action; used on {@code executor}
   */
  Runnable schedule(Duration delay, Executor executor, Runnable action);

  /**
   * Waits until a request whose body is costly to parse may pass through to a node.
   *
   * @param number the gateway's number of the request
   * @param client the client's address; clients take turns
   * @param pass runs once, on any thread, unless the client disconnects before
   * @param reject runs in its place, on any thread, if the request waits for too long
   */
  void awaitPassThrough(long number, String client, Runnable pass, Runnable reject);

  /** Ends the wait, or the turn, of a request that will not pass through. */
  void leavePassThrough(long number);
}
