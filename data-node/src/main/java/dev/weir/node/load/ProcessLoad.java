package dev.weir.node.load;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import org.opensearch.monitor.process.ProcessProbe;

/**
 * How the node's process is. Immutable.
 *
 * @param cpuPercent the process's share of all processors, 0 to 100; -1 if unknown
 * @param heapPercent heap in use of its maximum, 0 to 100; -1 if unknown
 * @param gcPauseMillis how long garbage collections have stopped the process since it started, so
 *     that each of several gateways sees what is new to it; -1 if unknown
 * @param merges running merges of segments; -1 if unknown
 */
record ProcessLoad(int cpuPercent, int heapPercent, long gcPauseMillis, int merges) {
  /** Nothing is known. */
  static final ProcessLoad UNKNOWN = new ProcessLoad(-1, -1, -1, -1);

  /** Measures; takes some ten microseconds. */
  static ProcessLoad measure(int merges) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    int heapPercent = heap.getMax() <= 0 ? -1 : (int) (100 * heap.getUsed() / heap.getMax());
    return new ProcessLoad(
        ProcessProbe.getInstance().getProcessCpuPercent(), heapPercent, pausedMillis(), merges);
  }

  /**
   * Adds up the pauses. ZGC and Shenandoah have one bean for pauses and another for cycles, during
   * which the process runs.
   */
  private static long pausedMillis() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (!collector.getName().endsWith("Cycles")) {
        millis += Math.max(0, collector.getCollectionTime());
      }
    }
    return millis;
  }
}
