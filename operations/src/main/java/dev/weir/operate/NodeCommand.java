package dev.weir.operate;

import dev.weir.operate.Operation.CommandDoubt;
import java.io.IOException;

/**
 * The operator's command for a node.
 *
 * @param runner runs it
 * @param doubt what to do if it is not known whether it has ended
 */
record NodeCommand(ShellRunner runner, CommandDoubt doubt) {
  /** The command failed, so the operation ends. */
  static final class FailedException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message);
    }

    FailedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  void run(String command, ClusterLayout.Node node) throws FailedException, InterruptedException {
    String text = fill(command, node);
    int status;
    try {
      status = runner.run(text);
    } catch (IOException e) {
      throw new FailedException("the command for " + node.name() + " could not be run: " + e, e);
    }
    if (status != 0) {
      throw new FailedException(
          "the command for " + node.name() + " ended with status " + status + ": " + text);
    }
  }

  /** Replaces the names in braces. */
  static String fill(String command, ClusterLayout.Node node) {
    return command
        .replace("{name}", node.name())
        .replace("{host}", node.host())
        .replace("{id}", node.id());
  }
}
