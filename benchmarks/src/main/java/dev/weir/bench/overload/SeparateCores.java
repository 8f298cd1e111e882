package dev.weir.bench.overload;

import dev.weir.bench.CpuAffinity;
import java.io.IOException;
import java.util.List;

/**
 * Keeps data nodes and other processes on different cores of the machine until it is closed, so
 * that an overloaded node does not take CPU time from the gateway or from the clients.
 */
final class SeparateCores implements AutoCloseable {
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  private final List<Long> nodes;
  private final List<Long> others;
  private final boolean separate;

  /**
   * Separates the processes.
   *
   * @param nodes process ids of the data nodes
   * @param others process ids of the other processes
   * @param nodesCores the data nodes' number of cores; 0 or all: nothing is separated
   */
  SeparateCores(List<Long> nodes, List<Long> others, int nodesCores) throws IOException {
    this.nodes = nodes;
    this.others = others;
    this.separate = nodesCores > 0 && nodesCores < CORES;
    if (separate) {
      pin(nodes, 0, nodesCores);
      pin(others, nodesCores, CORES - nodesCores);
    }
  }

  private static void pin(List<Long> processes, int first, int count) throws IOException {
    for (long process : processes) {
      CpuAffinity.pinProcess(process, first, count);
    }
  }

  @Override
  public void close() throws IOException {
    if (separate) {
      pin(nodes, 0, CORES);
      pin(others, 0, CORES);
    }
  }
}
