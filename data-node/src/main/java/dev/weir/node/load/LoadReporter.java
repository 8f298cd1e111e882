package dev.weir.node.load;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.threadpool.ThreadPool;

/** Says what this node's load is now. Safe on any thread. */
final class LoadReporter {
  private final Supplier<String> nodeId;
  private final Map<WorkKind, ThreadPoolExecutor> pools = new EnumMap<>(WorkKind.class);
  private final ServiceTimes times;
  private final ProcessSampler process;

  /**
   * Creates a reporter.
   *
   * @param nodeId this node's id; asked for while requests arrive, not before
   */
  LoadReporter(
      Supplier<String> nodeId, ThreadPool threadPool, ServiceTimes times, ProcessSampler process) {
    this.nodeId = nodeId;
    this.times = times;
    this.process = process;
    for (WorkKind kind : WorkKind.values()) {
      Executor pool = threadPool.executor(kind.pool());
      if (pool instanceof ThreadPoolExecutor counted) {
        pools.put(kind, counted);
      }
    }
  }

  /**
   * Returns whether a request asks this node.
   *
   * @param asked the request's header; null if it has none
   */
  boolean isAsked(@Nullable String asked) {
    return asked != null && asked.equals(nodeId.get());
  }

  /** Returns the value of the response header after some work. */
  String report(WorkKind kind) {
    ThreadPoolExecutor pool = pools.get(kind);
    int running = pool == null ? -1 : pool.getActiveCount();
    int queued = pool == null ? -1 : pool.getQueue().size();
    return LoadHeader.format(running, queued, times.nanos(kind), process.load());
  }
}
