package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.gateway.Main;
import dev.weir.it.TestBed;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Follows a document in order: writes its files, applies its configurations, runs its commands.
 * Uses a gateway of its own.
 */
final class DocRunner implements AutoCloseable {
  private static final List<String> BLUE_GREEN = List.of("blue", "green");
  private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long MAX_SECONDS = 120;

  /** An HTTP error is a failure, unless the document shows it. */
  private static final String PRELUDE =
      "set -o pipefail; curl() { command curl -sS --max-time 15 %s \"$@\"; }\n";

  private final Path folder;
  private final String base;
  private final TestBed bed;
  private final List<String> problems = new ArrayList<>();

  DocRunner(MarkdownDoc doc, Path folder) throws IOException {
    this.folder = folder;
    boolean two =
        doc.blocks().stream()
            .anyMatch(block -> block.text().matches("(?s).*(green:|: green|green=).*"));
    List<String> seeds = SharedCluster.get().seeds();
    List<String> names = two ? BLUE_GREEN : List.of("main");
    this.base = ConfigBlock.clusters(names, seeds);
    this.bed =
        TestBed.startWithConfig(
            base + "http: {listen: \"127.0.0.1:0\"}\nadmin: {listen: \"127.0.0.1:0\"}\n");
    Path weir = folder.resolve("weir");
    Files.writeString(
        weir,
        """
        #!/bin/sh
        exec "%s/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "%s" %s "$@"
        """
            .formatted(
                System.getProperty("java.home"),
                System.getProperty("java.class.path"),
                Main.class.getName()));
    Files.setPosixFilePermissions(weir, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Runs a block and returns the number of its commands. */
  int run(MarkdownDoc.Block block, SkippedCommands left) throws IOException, InterruptedException {
    if (ConfigBlock.isConfig(block)) {
      goBy(new ConfigBlock(block));
    }
    if (!ShellCommand.isIn(block)) {
      return 0;
    }
    int run = 0;
    for (ShellCommand command : ShellCommand.of(block)) {
      if (!left.contains(command)) {
        check(command);
        run++;
      }
    }
    return run;
  }

  private void goBy(ConfigBlock config) throws IOException {
    String name = config.fileName();
    if (name != null) {
      Files.writeString(folder.resolve(name), config.block().text());
    }
    List<String> names = base.contains("green") ? BLUE_GREEN : List.of("main");
    String yaml = config.withClusters(names, SharedCluster.get().seeds());
    LoadResult result = ConfigBlock.load(config.block().where(), yaml, folder);
    if (result instanceof LoadResult.Invalid refused) {
      throw new AssertionError(refused.render());
    }
    bed.gateway().reload(result);
  }

  private void check(ShellCommand command) throws IOException, InterruptedException {
    boolean asks = !command.text().contains(" -X") && !command.text().contains(" -d");
    long until = System.nanoTime() + TIMEOUT_NANOS;
    String problem = problem(command);
    while (problem != null && asks && System.nanoTime() < until) {
      Thread.sleep(100);
      problem = problem(command);
    }
    if (problem != null) {
      problems.add(command.where() + ": " + command.text() + "\n" + problem);
    }
  }

  private @Nullable String problem(ShellCommand command) throws IOException, InterruptedException {
    boolean error = command.answer().startsWith("HTTP/1.1 ");
    Path printed = folder.resolve(".printed");
    ProcessBuilder shell =
        new ProcessBuilder(
                "bash",
                "-c",
                PRELUDE.formatted(error ? "" : "--fail-with-body") + here(command.text()))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    shell.environment().remove("JAVA_TOOL_OPTIONS");
    Process process = shell.start();
    process.getOutputStream().close();
    if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return "got no end in " + MAX_SECONDS + " s";
    }
    String output = Files.readString(printed);
    String different =
        process.exitValue() != 0
            ? "got status " + process.exitValue() + " (expected: 0)"
            : ResponseShape.findDifference(command.answer(), output);
    return different == null ? null : different + "; it printed:\n" + output;
  }

  private String here(String text) {
    return text.replace("localhost:9200", "127.0.0.1:" + bed.uri().getPort())
        .replace("localhost:9250", "127.0.0.1:" + bed.admin().base().getPort())
        .replace("localhost:9201", SharedCluster.get().node(0).httpUri().getAuthority());
  }

  /** The differences from the document. */
  List<String> problems() {
    return problems;
  }

  @Override
  public void close() {
    bed.close();
  }

  /** Removes what the documents' commands created. */
  static void cleanUp() {
    delete("/first,logs-*,books");
    rest().send("DELETE", "/_index_template/logs");
    String settings = "{\"transient\": {\"cluster.routing.allocation.*\": null}}";
    rest().send("PUT", "/_cluster/settings", settings).orThrow();
  }

  static void delete(String indices) {
    RestReply gone = rest().send("DELETE", indices + "?ignore_unavailable=true");
    assertThat(gone.status()).as(gone.body()).isEqualTo(200);
  }

  private static RestClient rest() {
    return SharedCluster.get().rest();
  }
}
