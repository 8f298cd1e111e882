package dev.weir.operate;

import java.io.IOException;

/** Runs the operator's command for a node. */
@FunctionalInterface
public interface ShellRunner {
  /**
   * Runs a command to its end.
   *
   * @param command for {@code sh -c}
   * @return its exit status
   */
  int run(String command) throws IOException, InterruptedException;

  /** Runs it with the standard output and the standard error of this process. */
  static ShellRunner inherited() {
    return command -> new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
  }
}
