package dev.weir.operate;

import java.io.IOException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The operator's command for a node.
 *
 * @param runner runs it
 * @param command its text, with names in braces; empty for none
 * @param unknownOutcome what to do if it is not known whether it has ended
 */
record NodeCommand(ShellRunner runner, String command, UnknownOutcomePolicy unknownOutcome) {
  /** What a shell takes as it is: these values come from nodes. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:\\[\\]-]+");

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

  /** Whether the values of a node can be part of a command. */
  static boolean isPlain(ClusterLayout.Node node) {
    return Stream.of(node.name(), node.host(), node.id())
        .allMatch(value -> PLAIN.matcher(value).matches());
  }

  void run(ClusterLayout.Node node) throws FailedException, InterruptedException {
    if (!isPlain(node)) {
      throw new FailedException(
          "the command for "
              + node.name()
              + " was not run: its name, host or id is empty, or has characters other than letters,"
              + " digits and . _ : -");
    }
    String text = fill(command, node);
    int status;
    try {
      status = runner.run(text);
    } catch (IOException e) {
      throw new FailedException("the command for " + node.name() + " could not be run: " + e, e);
    }
    if (status != 0) {
      throw new FailedException("the command for " + node.name() + " ended with status " + status);
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
