package dev.weir.core.reduce.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Measures the allocation of the current thread. The difference between two readings bounds the
 * heap of the objects created in between.
 */
public final class ThreadAllocationMeter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private ThreadAllocationMeter() {}

  /**
   * Returns the bytes allocated since the thread started; negative if the JVM does not support it.
   */
  public static long currentThreadBytes() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
