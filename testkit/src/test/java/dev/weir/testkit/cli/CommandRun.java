package dev.weir.testkit.cli;

import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.JvmCommand;
import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A command line of the testkit in a JVM of its own, with what it prints. */
final class CommandRun {
  private static final long PATIENCE_SECONDS = 240;

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Path errors;
  private final ChildJvm child;

  CommandRun(Class<?> main, Path folder, String... arguments) {
    this.errors = folder.resolve(main.getSimpleName() + "-errors.txt");
    JvmCommand command =
        JvmCommand.of(
            ClassPath.ofThisJvm(),
            List.of("-Dweir.root=" + WorkingTree.root(), "-Djava.io.tmpdir=" + folder),
            main.getName(),
            List.of(arguments));
    this.child = ChildJvm.start(command, errors, lines::add);
  }

  ChildJvm child() {
    return child;
  }

  /** The next line of standard output. */
  String nextLine() throws InterruptedException {
    String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("got no line; standard error: " + errors());
    }
    return line;
  }

  /** Waits for the end and returns the exit status. */
  int awaitExit() throws Exception {
    return child.exitCode().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** The processes that it started, and theirs. */
  List<Long> descendants() {
    return ProcessHandle.of(child.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .map(ProcessHandle::pid)
        .toList();
  }

  String errors() {
    try {
      return Files.exists(errors) ? Files.readString(errors) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
