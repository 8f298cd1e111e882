package dev.weir.gateway.app;

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
  void aGoodConfigurationIsOk() throws Exception {
    Path file =
        Files.writeString(folder.resolve("a b.yaml"), "clusters: {main: {seeds: [\"h:1\"]}}");
    assertThat(run("check", "--config", file.toString())).isZero();
    assertThat(said()).contains("a b.yaml: ok");
  }

  @Test
  void aWrongConfigurationEndsWithStatusTwo() throws Exception {
    Path file = Files.writeString(folder.resolve("w.yaml"), "clusters: {main: {sed: 1}}\n");
    assertThat(run("check", "--config", file.toString())).isEqualTo(2);
    assertThat(said()).contains("w.yaml:1:19").contains("2 problems");
    assertThat(run("run", "--config", file.toString())).isEqualTo(2);
  }

  @Test
  void aWrongCommandLineEndsWithStatusTwo() {
    assertThat(run("run")).isEqualTo(2);
    assertThat(said()).contains("--config");
    assertThat(run("--version")).isZero();
    assertThat(said()).contains("weir ");
  }
}
