package dev.weir.bench;

import java.io.IOException;
import java.util.List;

/**
 * Which of the machine's cores a process may run on. A benchmark has on one machine what users have
 * on several: what some processes spend on one core, others on another core do not miss.
 */
public final class CpuAffinity {
  private CpuAffinity() {}

  /**
   * Confines a process to some cores (taskset), with all threads that it has and will start.
   *
   * @param first the first of them, from 0
   * @param count how many; more than 0
   */
  public static void pinProcess(long pid, int first, int count) throws IOException {
    String cores = first + "-" + (first + count - 1);
    Process taskset =
        new ProcessBuilder(
                List.of("taskset", "--all-tasks", "--cpu-list", "--pid", cores, Long.toString(pid)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (taskset.waitFor() != 0) {
        throw new IOException(
            "can't confine process " + pid + " to cores " + cores + " (taskset failed)");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
