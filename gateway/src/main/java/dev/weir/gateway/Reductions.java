package dev.weir.gateway;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where big reductions run. */
final class Reductions {
  private static final int MOST_WAITING = 1000;

  private Reductions() {}

  /** As many threads as processors, and a bounded queue: what does not fit is refused. */
  static ThreadPoolExecutor pool() {
    int threads = Runtime.getRuntime().availableProcessors();
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(MOST_WAITING),
        Thread.ofPlatform().name("weir-reduce-", 0).daemon().factory());
  }
}
