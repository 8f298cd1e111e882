package dev.weir.testkit.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes the CPU priority of processes ({@code chrt}), so that a process that starts takes hardly
 * any CPU time that others on this machine need. Under Linux's policy for idle threads ({@code
 * SCHED_IDLE}) a thread gives way to any other at once. Linux keeps a policy for each thread, and
 * new threads inherit it from the thread that starts them. Safe on any thread.
 */
public final class ProcessPriority {
  /** How the names of the JVM's compiler threads begin, such as {@code C2 CompilerThre}. */
  private static final List<String> COMPILERS = List.of("C1 Compiler", "C2 Compiler");

  private ProcessPriority() {}

  /** Returns whether a lowered priority can be restored here: usually only root may. */
  public static boolean canRestore() throws IOException, InterruptedException {
    return run(List.of("chrt", "--idle", "0", "sh", "-c", "chrt --other --pid 0 $$")) == 0;
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
    run(List.of("chrt", "--all-tasks", "--idle", "--pid", "0", Long.toString(pid)));
  }

  /**
   * Gives the threads of a process the normal priority again, but for the JVM's compilers: on a
   * machine with cores to spare they would take no CPU time from others.
   */
  public static void restoreAllButCompilers(long pid) throws IOException, InterruptedException {
    List<String> changed = List.of();
    List<String> threads = threads(pid);
    while (!changed.equals(threads)) { // a thread may start another meanwhile
      List<String> command =
          new ArrayList<>(
              List.of("sh", "-c", "for thread; do chrt --other --pid 0 $thread; done", "sh"));
      for (String thread : threads) {
        if (!isCompiler(pid, thread)) {
          command.add(thread);
        }
      }
      run(command);
      changed = threads;
      threads = threads(pid);
    }
  }

  private static boolean isCompiler(long pid, String thread) {
    try {
      String name = Files.readString(Path.of("/proc/" + pid + "/task/" + thread + "/comm"));
      return COMPILERS.stream().anyMatch(name::startsWith);
    } catch (IOException e) {
      return false; // it has ended
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
