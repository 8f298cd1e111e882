package dev.weir.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Explains why a data node did not start, from what it left behind. */
final class StartFailureDiagnosis {
  private static final int KILLED = 137;

  private StartFailureDiagnosis() {}

  /** What went wrong, what to do, and the end of the node's logs. */
  static NodeStartException diagnose(NodeSpec spec, Path home, String event) {
    String errors = LogTail.of(DataNode.errorFile(home));
    return new NodeStartException(
        spec.name()
            + " "
            + event
            + " (expected: a started node). "
            + remedy(errors, event)
            + "\n--- standard error\n"
            + errors
            + "\n--- log in "
            + home.resolve("logs")
            + "\n"
            + LogTail.of(mainLog(home)));
  }

  private static String remedy(String errors, String event) {
    if (errors.contains("BindException") || errors.contains("BindHttpException")) {
      return "Another process listens on one of its ports: stop that one or choose other ports.";
    }
    if (errors.contains("failed to obtain node lock")) {
      return "Another node runs on this folder: end that one or choose another folder.";
    }
    if (errors.contains("UnsupportedClassVersionError")) {
      return "The running java is too old: use JDK 25 or newer.";
    }
    if (errors.contains("OutOfMemoryError") || errors.contains("Could not reserve")) {
      return "The heap does not fit: change it (--heap), or start fewer nodes.";
    }
    if (errors.contains("ClassNotFoundException")) {
      return "The build is stale or a plugin's class path is missing: build testkit/node again.";
    }
    if (event.contains("status " + KILLED)) {
      return "It was killed, mostly for want of memory: choose a smaller heap or fewer nodes.";
    }
    return "Its standard error should name the cause.";
  }

  /** The node's main log: the only file in its log folder that carries the cluster's bare name. */
  static Path mainLog(Path home) {
    Path logs = home.resolve("logs");
    try (Stream<Path> files = Files.list(logs)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .filter(file -> !file.toString().endsWith("_deprecation.log"))
          .filter(file -> !file.equals(DataNode.errorFile(home)))
          .findFirst()
          .orElse(logs.resolve("none.log"));
    } catch (IOException none) {
      return logs.resolve("none.log");
    }
  }
}
