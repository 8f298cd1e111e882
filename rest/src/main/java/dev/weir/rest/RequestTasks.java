package dev.weir.rest;

import dev.weir.model.HttpExchange;
import java.util.concurrent.Executor;

/**
 * Where the tasks of one request run, one at a time: on the event loop of its client's channel, or,
 * once it has moved, on an executor of its own. The exchange itself stays on the event loop.
 */
final class RequestTasks {
  private final HttpExchange exchange;
  private final Thread eventLoopThread = Thread.currentThread();
  private volatile Executor executor;
  private volatile boolean hasMoved;

  /** Starts on the event loop of an exchange; called there. */
  RequestTasks(HttpExchange exchange) {
    this.exchange = exchange;
    this.executor = exchange.eventLoop();
  }

  /** Returns what runs the request's tasks. Safe on any thread. */
  Executor executor() {
    return executor;
  }

  /**
   * Moves the request to another executor. Called on the event loop.
   *
   * @param first runs there after the present task has ended
   */
  void moveTo(Executor other, Runnable first) {
    executor = other;
    hasMoved = true;
    exchange.eventLoop().execute(() -> other.execute(first));
  }

  /** Calls the exchange, from a task of the request: at once while that is on the event loop. */
  void onEventLoop(Runnable call) {
    if (hasMoved) {
      exchange.eventLoop().execute(call);
    } else {
      call.run();
    }
  }

  /** Runs a task, from the event loop: at once while the request is there. */
  void fromEventLoop(Runnable task) {
    if (hasMoved) {
      executor.execute(task);
    } else {
      task.run();
    }
  }

  /** Runs a task, from any thread: at once on the request's event loop. */
  void fromAnyThread(Runnable task) {
    if (!hasMoved && Thread.currentThread().equals(eventLoopThread)) {
      task.run();
    } else {
      executor.execute(task);
    }
  }
}
