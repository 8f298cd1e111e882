package dev.weir.bench;

import java.io.IOException;
import java.util.List;

/**
 * Restricts processes to some of the machine's cores. A benchmark runs on one machine what users
 * run on several: processes on different cores do not compete for CPU time.
 */
public final class CpuAffinity {
  private CpuAffinity() {}

  /**
   * Restricts a process to some cores (taskset), with all its present and future threads.
   *
   * @param first the first core, from 0
   * @param count the number of cores, more than 0
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
