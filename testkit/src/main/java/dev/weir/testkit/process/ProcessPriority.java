package dev.weir.testkit.process;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes the CPU priority of processes ({@code renice}), so that a process that starts takes
 * hardly any CPU time that others on this machine need. Linux keeps a priority for each thread, and
 * new threads inherit it from the thread that starts them. Safe on any thread.
 */
public final class ProcessPriority {
  private static final int LOWEST = 19;
  private static final int NORMAL = 0;

  private ProcessPriority() {}

  /** Returns whether a lowered priority can be restored here: usually only root may. */
  public static boolean canRestore() throws IOException, InterruptedException {
    return run(List.of("nice", "-n", "1", "sh", "-c", "renice -n 0 -p $$")) == 0;
  }

  /**
   * Checks that a lowered priority can be restored here.
   *
   * @throws IOException if not
   */
  public static void requireRestore() throws IOException, InterruptedException {
    if (!canRestore()) {
      throw new IOException("got no right to raise the priority of a process (expected: root)");
    }
  }

  /** Gives a process that has just been started, and all its later threads, the lowest priority. */
  public static void lower(long pid) throws IOException, InterruptedException {
    change(pid, LOWEST);
  }

  /** Gives all threads of a process the normal priority again. */
  public static void restore(long pid) throws IOException, InterruptedException {
    change(pid, NORMAL);
  }

  /** A thread may end, or start another, while priorities change: that one is found next time. */
  private static void change(long pid, int priority) throws IOException, InterruptedException {
    List<String> changed = List.of();
    List<String> threads = threads(pid);
    while (!changed.equals(threads)) {
      List<String> command =
          new ArrayList<>(List.of("renice", "-n", Integer.toString(priority), "-p"));
      command.addAll(threads);
      run(command);
      changed = threads;
      threads = threads(pid);
    }
  }

  private static List<String> threads(long pid) throws IOException {
    String[] threads = new File("/proc/" + pid + "/task").list();
    if (threads == null) {
      throw new IOException("process " + pid + " does not run, or this is not Linux");
    }
    return List.of(threads).stream().sorted().toList();
  }

  private static int run(List<String> command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
