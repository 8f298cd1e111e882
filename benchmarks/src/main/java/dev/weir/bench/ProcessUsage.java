package dev.weir.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resources that a process has used so far, from Linux's {@code /proc}.
 *
 * @param cpuNanos user and system time of all its threads, in clock ticks of 10 ms
 * @param kernelNanos the part in the kernel
 * @param residentBytes resident memory now
 * @param peakResidentBytes the peak of resident memory
 */
public record ProcessUsage(
    long cpuNanos, long kernelNanos, long residentBytes, long peakResidentBytes) {
  /** The usage of no process. */
  public static final ProcessUsage NONE = new ProcessUsage(0, 0, 0, 0);

  private static final long NANOS_PER_TICK = 10_000_000;

  /** Reads the usage of a process. */
  public static ProcessUsage read(long pid) {
    try {
      // Fields 14 and 15 of proc_pid_stat(5), counted from the end of the name, which may contain
      // spaces.
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      long kernel = Long.parseLong(fields[12]);
      long ticks = Long.parseLong(fields[11]) + kernel;
      long resident = 0;
      long peak = 0;
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("VmRSS:")) {
          resident = kilobytes(line);
        } else if (line.startsWith("VmHWM:")) {
          peak = kilobytes(line);
        }
      }
      return new ProcessUsage(ticks * NANOS_PER_TICK, kernel * NANOS_PER_TICK, resident, peak);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read the use of process " + pid + " (Linux only)", e);
    }
  }

  private static long kilobytes(String line) {
    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
  }
}
