package dev.weir.protocol.loop;

import io.netty.channel.EventLoop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Measures for how much of the time each event loop uses a processor, and tells the {@link
 * LoopAllocator}. Confined to the first loop.
 */
public final class LoopLoadSampler implements Runnable {
  /** The time between two measurements. */
  public static final long PERIOD_MILLIS = 250;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final LoopAllocator allocator;
  private final AtomicLongArray threadIds;
  private final long[] usedNanos;
  private long sampledNanos;

  private LoopLoadSampler(LoopAllocator allocator, int size) {
    this.allocator = allocator;
    this.threadIds = new AtomicLongArray(size);
    this.usedNanos = new long[size];
    this.sampledNanos = System.nanoTime();
  }

  /** Starts to measure, where the JVM can tell the processor time of a thread. */
  public static void start(List<EventLoop> loops, LoopAllocator allocator) {
    if (!THREADS.isThreadCpuTimeSupported() || loops.size() == 1) {
      return;
    }
    LoopLoadSampler sampler = new LoopLoadSampler(allocator, loops.size());
    for (int i = 0; i < loops.size(); i++) {
      int loop = i;
      loops.get(i).execute(() -> sampler.threadIds.set(loop, Thread.currentThread().threadId()));
    }
    loops
        .getFirst()
        .scheduleWithFixedDelay(sampler, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run() {
    long now = System.nanoTime();
    double elapsed = Math.max(1, now - sampledNanos);
    sampledNanos = now;
    double[] computing = new double[usedNanos.length];
    for (int loop = 0; loop < computing.length; loop++) {
      long id = threadIds.get(loop);
      long used = id == 0 ? 0 : Math.max(0, THREADS.getThreadCpuTime(id));
      computing[loop] = Math.min(1, Math.max(0, used - usedNanos[loop]) / elapsed);
      usedNanos[loop] = used;
    }
    allocator.update(computing);
  }
}
