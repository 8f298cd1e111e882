package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private final PrintStream realOut = System.out;
  private final PrintStream realErr = System.err;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @TempDir private Path folder;

  private int run(String... arguments) {
    PrintStream caught = new PrintStream(out, true, StandardCharsets.UTF_8);
    System.setOut(caught);
    System.setErr(caught);
    return Main.execute(arguments);
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @AfterEach
  void restore() {
    System.setOut(realOut);
    System.setErr(realErr);
  }

  @Test
  void acceptAValidConfiguration() throws Exception {
    Path file =
        Files.writeString(folder.resolve("a b.yaml"), "clusters: {main: {seeds: [\"h:1\"]}}");
    assertThat(run("check", "--config", file.toString())).isZero();
    assertThat(said()).contains("a b.yaml: ok");
  }

  @Test
  void exitWithTwoForAnInvalidConfiguration() throws Exception {
    Path file = Files.writeString(folder.resolve("w.yaml"), "clusters: {main: {sed: 1}}\n");
    assertThat(run("check", "--config", file.toString())).isEqualTo(2);
    assertThat(said()).contains("w.yaml:1:19").contains("2 problems");
    assertThat(run("run", "--config", file.toString())).isEqualTo(2);
  }

  @Test
  void printChangesAndWhichNeedARestart() throws Exception {
    String seeds = "clusters: {main: {seeds: [\"h:1\"]}}\n";
    Path before = Files.writeString(folder.resolve("old.yaml"), seeds);
    Path live =
        Files.writeString(folder.resolve("live.yaml"), seeds + "routing: {algorithm: c3}\n");
    Path port =
        Files.writeString(
            folder.resolve("port.yaml"),
            seeds + "http: {listen: \"127.0.0.1:2\"}\nrouting: {algorithm: c3}\n");
    Path wrong = Files.writeString(folder.resolve("wrong.yaml"), seeds + "rooting: {}\n");

    assertThat(run("check", "--diff", before.toString(), before.toString())).isZero();
    assertThat(said()).isEqualTo("nothing changes\n");
    out.reset();
    assertThat(run("check", "--diff", before.toString(), live.toString())).isZero();
    assertThat(said())
        .isEqualTo(
            """
            takes effect while running:
              routing.algorithm: adaptive -> c3
            1 while running, 0 by a restart
            """);
    out.reset();
    assertThat(run("check", "--diff", before.toString(), port.toString())).isEqualTo(3);
    assertThat(said())
        .endsWith(
            """
            needs a restart:
              http.listen: 127.0.0.1:9200 -> 127.0.0.1:2
            1 while running, 1 by a restart
            """);
    out.reset();
    assertThat(run("check", "--diff", before.toString(), wrong.toString())).isEqualTo(2);
    assertThat(said()).contains("wrong.yaml:2:1").contains("did you mean 'routing'?");
    assertThat(run("check", "--diff", before.toString())).isEqualTo(2);
    assertThat(run("check")).isEqualTo(2);
  }

  @Test
  void exitWithTwoForAnInvalidCommandLine() {
    assertThat(run("run")).isEqualTo(2);
    assertThat(said()).contains("--config");
    assertThat(run("--version")).isZero();
    assertThat(said()).contains("weir ");
  }

  @Test
  void askForTheDirectionThatWins() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("w.yaml"),
            "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}");
    String config = file.toString();
    String log = folder.toString();
    assertThat(run("repair", "--config", config, "--log", log, "--from-wins")).isEqualTo(2);
    assertThat(said()).contains("got --from-wins without a direction (expected: also --from or");
    assertThat(run("repair", "--config", config, "--log", log, "--from-wins", "--to", "green"))
        .isZero();
    assertThat(run("repair", "--config", config, "--log", log)).isZero();
    assertThat(run("repair", "--config", config, "--log", log, "--to", "red")).isEqualTo(2);
  }

  @Test
  void exitWithTwoForAComparisonThatCantBeMade() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("w.yaml"),
            "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}");
    String config = file.toString();
    assertThat(run("compare", "blue", "green", "--config", config)).isEqualTo(2);
    assertThat(run("compare", "blue", "red", "logs", "--config", config)).isEqualTo(2);
    assertThat(said()).contains("got cluster red (expected: one of blue, green)");
    assertThat(run("compare", "blue", "blue", "logs", "--config", config)).isEqualTo(2);
    assertThat(run("compare", "blue", "green", "logs-*", "--config", config)).isEqualTo(2);
    assertThat(run("compare", "blue", "green", "logs", "--config", config, "--page-size", "0"))
        .isEqualTo(2);
  }

  @Test
  void exitWithTwoForAdviceThatNamesNoCluster() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("w.yaml"),
            "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}");
    String config = file.toString();
    assertThat(run("advise", "--config", config)).isEqualTo(2);
    assertThat(said()).contains("got no cluster (expected: one of blue, green)");
    assertThat(run("advise", "--config", config, "--cluster", "red")).isEqualTo(2);
    assertThat(said()).contains("got cluster red (expected: one of blue, green)");
    assertThat(run("advise", "--config", config, "--cluster", "blue")).isEqualTo(2);
    assertThat(said()).contains("traffic.canary-header is not set", "give --endpoint");
    assertThat(run("advise", "--config", config, "--only", "nothing")).isEqualTo(2);
    assertThat(said()).contains("got check nothing (expected: one of unfinished-operation, ");
  }

  @Test
  void exitWithTwoForAnOperationThatNamesNoCluster() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("w.yaml"),
            "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}");
    String config = file.toString();
    assertThat(run("move-manager", "--config", config)).isEqualTo(2);
    assertThat(said()).isEqualTo("got no cluster (expected: one of blue, green)\n");
    assertThat(run("move-manager", "--config", config, "--cluster", "blue")).isEqualTo(2);
    assertThat(said()).contains("traffic.canary-header is not set", "X-Weir-Cluster");
    out.reset();
    Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "clusters: {main: {sed: 1}}\n");
    assertThat(run("move-manager", "--config", wrong.toString())).isEqualTo(2);
    assertThat(said()).contains("wrong.yaml:1:19").endsWith("2 problems\n");
  }

  @Test
  void exitWithTwoForAFileThatCantBeRead() throws Exception {
    Path file = Files.writeString(folder.resolve("w.yaml"), "clusters: {main: {seeds: [\"h:1\"]}}");
    String config = file.toString();
    Path missing = folder.resolve("missing.pem");
    String expected = missing + " (expected: a file that exists and can be read)\n";
    assertThat(run("advise", "--config", config, "--ca-file", missing.toString())).isEqualTo(2);
    assertThat(said()).isEqualTo("--ca-file: got " + expected);
    out.reset();
    assertThat(run("move-manager", "--config", config, "--ca-file", missing.toString()))
        .isEqualTo(2);
    assertThat(said()).isEqualTo("--ca-file: got " + expected);
    out.reset();
    assertThat(run("move-manager", "--config", config, "--header", "@" + missing)).isEqualTo(2);
    assertThat(said()).isEqualTo("--header: got " + expected);
  }

  @Test
  void exitWithTwoForADirectoryThatCantBeCreated() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("w.yaml"),
            "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}");
    String config = file.toString();
    String expected = config + " (expected: a directory that exists or can be created, and can be";
    assertThat(run("compare", "blue", "green", "logs", "--config", config, "--scratch", config))
        .isEqualTo(2);
    assertThat(said()).startsWith("--scratch: got " + expected);
    out.reset();
    String intents = folder.toString();
    assertThat(run("repair", "--config", config, "--log", config, "--intents", intents))
        .isEqualTo(2);
    assertThat(said()).contains("--log: got " + expected);
  }
}
