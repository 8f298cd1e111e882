package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.gateway.process.NotifySocket;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A gateway in its own process, and the signals that it handles. */
class GatewayProcessTest {
  private static final String HERE =
      """
      clusters: {main: {seeds: ["127.0.0.1:1"]}}
      http: {listen: "127.0.0.1:0"}
      admin: {listen: "127.0.0.1:0"}
      """;

  @TempDir private Path folder;

  private static Process start(Path config, String... before) throws IOException {
    return start(Map.of(), config, before);
  }

  /** Starts a process, which ends at the latest when no test can still be reading its output. */
  private static Process start(Map<String, String> environment, Path config, String... before)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(before));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", classPath()));
    command.addAll(List.of(Main.class.getName(), "run", "--config", config.toString()));
    command.add("--until-stdin-closes");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    CompletableFuture.delayedExecutor(2, TimeUnit.MINUTES).execute(process::destroyForcibly);
    return process;
  }

  private static String classPath() {
    String ours = System.getProperty("java.class.path");
    return System.getProperty("surefire.test.class.path", ours);
  }

  /** Reads the output of the process up to the first line with this text. Returns that line. */
  private static String await(BufferedReader said, String wanted) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      all.append(line).append('\n');
      if (line.contains(wanted)) {
        return line;
      }
    }
    throw new AssertionError("got the end (expected: \"" + wanted + "\") after:\n" + all);
  }

  /** Changes the file but not its modification time. */
  private static void changeUnseen(Path file, String text) throws IOException {
    Path aside = Files.writeString(file.resolveSibling("aside"), text);
    Files.setLastModifiedTime(aside, Files.getLastModifiedTime(file));
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void hangUp(Process process) throws Exception {
    String pid = Long.toString(process.pid());
    assertThat(new ProcessBuilder("kill", "-HUP", pid).start().waitFor()).isZero();
  }

  @Test
  void reloadTheConfigurationOnSighup() throws Exception {
    Path config = Files.writeString(folder.resolve("weir.yaml"), HERE);
    Files.setLastModifiedTime(config, FileTime.fromMillis(1000));
    Process process = start(config);
    try (BufferedReader said = process.inputReader()) {
      assumeThat(await(said, "for changes twice a second"))
          .as("who runs this does not ignore SIGHUP, as nohup would have it")
          .endsWith("reloads it at SIGHUP");

      hangUp(process);
      await(said, "SIGHUP: reading " + config);
      await(said, "the configuration is as before");

      changeUnseen(
          config, HERE + "routing: {algorithm: c3}\nobservability: {access-log-enabled: true}\n");
      hangUp(process);
      assertThat(await(said, "is in force")).endsWith("routing.algorithm: adaptive -> c3");
      assertThat(await(said, "needs a restart"))
          .endsWith(": observability.access-log-enabled: false -> true");

      changeUnseen(config, HERE + "routing: {algorithm: fastest}\n");
      hangUp(process);
      assertThat(await(said, "fastest")).contains("weir.yaml:4:");
      await(said, "is not used; the one before stays in force");

      changeUnseen(config, HERE + "routing: {algorithm: c3}\n");
      hangUp(process);
      await(said, "the configuration is as before");
      assertThat(process.isAlive()).isTrue();
      process.getOutputStream().close();
      await(said, "stopped");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void keepIgnoringASignalThatWasIgnoredAtStart() throws Exception {
    Path config = Files.writeString(folder.resolve("weir.yaml"), HERE);
    Process process = start(config, "sh", "-c", "trap '' HUP; exec \"$@\"", "sh");
    try (BufferedReader said = process.inputReader()) {
      assertThat(await(said, "for changes twice a second")).endsWith("it ignores SIGHUP here");
      hangUp(process);
      process.getOutputStream().close();
      await(said, "stopped");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "systemd is Linux's, and so are its sockets")
  void notifyTheSupervisor() throws Throwable {
    Path config = Files.writeString(folder.resolve("weir.yaml"), HERE);
    String name = folder.resolve("notify").toString();
    Map<String, String> environment = Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "3000000");
    try (NotifySocket socket = new NotifySocket(name)) {
      Process process = start(environment, config);
      try (BufferedReader said = process.inputReader()) {
        await(said, "for changes twice a second");
        Duration soon = Duration.ofSeconds(30);
        assertThat(socket.next(soon)).startsWith("READY=1\nSTATUS=listening");
        assertThat(socket.next(soon)).isEqualTo("WATCHDOG=1");
        process.toHandle().destroy(); // SIGTERM; the stream stays open
        assertThat(socket.nextWord(soon))
            .isEqualTo("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=40000000");
        await(said, "stopped");
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
