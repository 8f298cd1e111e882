package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Who goes first on the machine's cores. A benchmark has on one machine what users have on several:
 * without this, what a path takes to answer is how long it waits for nodes that are busy.
 */
public final class Priority {
  private Priority() {}

  /**
   * Lets a process stand back for others that want to run (renice), with all threads that it has
   * and will start.
   *
   * @param nice how far: 0 (not at all) to 19
   */
  public static void standBack(long pid, int nice) throws IOException {
    List<String> command = new ArrayList<>(List.of("renice", "-n", Integer.toString(nice), "-p"));
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      threads.forEach(thread -> command.add(thread.getFileName().toString()));
    }
    Process renice =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      renice.waitFor(); // a thread that has ended meanwhile is an error, and none of ours
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
