package dev.weir.gateway;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Where big reductions run. */
final class ReductionThreadPool {
  private static final int MAX_WAITING = 1000;

  private ReductionThreadPool() {}

  /** As many threads as processors, and a bounded queue: what does not fit is refused. */
  static ThreadPoolExecutor create() {
    int threads = Runtime.getRuntime().availableProcessors();
    return new ThreadPoolExecutor(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(MAX_WAITING),
        Thread.ofPlatform().name("weir-reduce-", 0).daemon().factory());
  }
}
