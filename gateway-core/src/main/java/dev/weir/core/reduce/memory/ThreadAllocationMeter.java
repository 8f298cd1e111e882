package dev.weir.core.reduce.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much the running thread has allocated: what was made between two looks takes no more than
 * their difference.
 */
public final class ThreadAllocationMeter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private ThreadAllocationMeter() {}

  /** Bytes since the thread began; negative when this JVM does not say. */
  public static long currentThreadBytes() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
