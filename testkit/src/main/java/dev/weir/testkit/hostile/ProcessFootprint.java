package dev.weir.testkit.hostile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a process holds, from Linux's {@code /proc}.
 *
 * @param threads its threads
 * @param descriptors its open files and sockets
 */
public record ProcessFootprint(int threads, int descriptors) {
  private static final Pattern HEAP_USED = Pattern.compile("heap .*used (\\d+)K");
  private static final long KILOBYTE = 1024;

  /** Reads the footprint of a process. */
  public static ProcessFootprint read(long pid) {
    return new ProcessFootprint(count(pid, "task"), count(pid, "fd"));
  }

  /** Collects the garbage of a JVM; returns the bytes of its heap that are used afterwards. */
  public static long usedHeapAfterCollection(long pid) {
    jcmd(pid, "GC.run");
    String info = jcmd(pid, "GC.heap_info");
    Matcher used = HEAP_USED.matcher(info);
    if (!used.find()) {
      throw new IllegalStateException("got [" + info + "] (expected: the use of a heap)");
    }
    return Long.parseLong(used.group(1)) * KILOBYTE;
  }

  private static String jcmd(long pid, String command) {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      Process process =
          new ProcessBuilder(jcmd, Long.toString(pid), command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException("can't run " + jcmd, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static int count(long pid, String folder) {
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid + "/" + folder))) {
      return Math.toIntExact(entries.count());
    } catch (IOException e) {
      throw new UncheckedIOException("can't read /proc/" + pid + "/" + folder, e);
    }
  }
}
