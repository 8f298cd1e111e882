package dev.weir.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used so far, as Linux tells in {@code /proc}.
 *
 * @param cpuNanos user and system time of all its threads, to the clock tick (10 ms)
 * @param kernelNanos what of it was in the kernel
 * @param residentBytes resident memory now
 * @param peakResidentBytes the most resident memory it ever had
 */
public record ProcessUsage(
    long cpuNanos, long kernelNanos, long residentBytes, long peakResidentBytes) {
  private static final long NANOS_PER_TICK = 10_000_000;

  /** What a process used until now. */
  public static ProcessUsage read(long pid) {
    try {
      // Fields 14 and 15 of proc_pid_stat(5), counted behind the name, which may hold blanks.
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
