package dev.weir.testkit;

import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.JvmCommand;
import dev.weir.testkit.process.ShutdownActions;
import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The gateway in a child JVM of its own, as its users run it; it cannot outlive this JVM. */
public final class GatewayChildProcess implements AutoCloseable {
  /**
   * System property: the java argument file that the start script wrote for the gateway, up to its
   * main class.
   */
  public static final String ARGUMENTS_PROPERTY = "weir.gateway.args";

  /**
   * System property: further options of the JVMs of gateways, split at blanks. The smoke run of the
   * benchmarks leaves out the optimising compiler, since its gateways live for seconds only.
   */
  static final String OPTIONS_PROPERTY = "weir.testkit.gateway.options";

  private static final String MAIN_CLASS = "dev.weir.gateway.Main";
  private static final String OPTIONS = "gateway/src/main/jvm/gateway.options";
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
  private static final long POLL_NANOS = 50_000_000L;

  private final ChildJvm child;
  private final Path log;
  private final Runnable atExit = this::close;

  private GatewayChildProcess(ChildJvm child, Path log) {
    this.child = child;
    this.log = log;
  }

  /**
   * Starts the gateway and does not wait.
   *
   * @param config its configuration file
   * @param log where its output goes
   */
  public static GatewayChildProcess start(Path config, Path log) {
    return start(command(runArguments(config)), log);
  }

  /**
   * Starts the gateway of another checkout and does not wait.
   *
   * @param argumentFile the java argument file that the other checkout's start script wrote
   */
  public static GatewayChildProcess startOther(Path argumentFile, Path config, Path log) {
    return start(JvmCommand.ofArgumentFile(argumentFile, runArguments(config)), log);
  }

  private static List<String> runArguments(Path config) {
    return List.of("run", "--config", config.toString(), "--until-stdin-closes");
  }

  private static GatewayChildProcess start(JvmCommand command, Path log) {
    ChildJvm child = ChildJvm.start(command, log, line -> append(log, line));
    GatewayChildProcess gateway = new GatewayChildProcess(child, log);
    ShutdownActions.register(gateway.atExit);
    return gateway;
  }

  /**
   * Runs another command of the gateway, such as {@code check}, to its end.
   *
   * @param log where its output goes
   * @return its exit status
   */
  public static int run(Path log, String... arguments) {
    return ChildJvm.start(command(List.of(arguments)), log, line -> append(log, line))
        .exitCode()
        .join();
  }

  /**
   * Starts another command of the gateway, such as {@code restart-node}, and does not wait.
   *
   * @param log where its output goes
   */
  public static GatewayChildProcess startCommand(Path log, String... arguments) {
    return start(command(List.of(arguments)), log);
  }

  private static JvmCommand command(List<String> arguments) {
    String argumentFile = System.getProperty(ARGUMENTS_PROPERTY, "");
    if (!argumentFile.isEmpty()) {
      return JvmCommand.ofArgumentFile(Path.of(argumentFile), arguments);
    }
    Path options = WorkingTree.root().resolve(OPTIONS);
    List<String> jvmOptions = new ArrayList<>();
    if (Files.exists(options)) {
      jvmOptions.add("@" + options);
    }
    if (!System.getProperty("os.name").equals("Linux")) {
      jvmOptions.add("-XX:+IgnoreUnrecognizedVMOptions"); // some of the file are for Linux only
    }
    Stream.of(System.getProperty(OPTIONS_PROPERTY, "").split(" "))
        .filter(option -> !option.isEmpty())
        .forEach(jvmOptions::add);
    return JvmCommand.of(ClassPath.ofGateway(), jvmOptions, MAIN_CLASS, arguments);
  }

  private static void append(Path log, String line) {
    try {
      Files.writeString(
          log, line + System.lineSeparator(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits until the gateway says that it is ready.
   *
   * @param admin its admin endpoint
   */
  public void awaitReady(URI admin) {
    long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
    try (RestClient client = new RestClient(admin)) {
      while (!isReady(client)) {
        if (!child.isAlive()) {
          throw new IllegalStateException(
              "the gateway ended with status "
                  + child.exitCode().join()
                  + " (expected: ready)\n"
                  + LogTail.of(log));
        }
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(
              "the gateway was not ready after "
                  + READY_TIMEOUT.toSeconds()
                  + " s (expected: 200 from "
                  + admin
                  + "/readyz)\n"
                  + LogTail.of(log));
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private static boolean isReady(RestClient client) {
    try {
      return client.send("GET", "/readyz").status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  /** Completes with the exit status when the gateway has ended. */
  public CompletableFuture<Integer> exitCode() {
    return child.exitCode();
  }

  /** Where its output goes. */
  public Path log() {
    return log;
  }

  /** The process id. */
  public long pid() {
    return child.pid();
  }

  /** Kills it (SIGKILL). */
  public void kill() {
    child.kill();
  }

  /** Asks it to end, and kills it if that takes too long. */
  @Override
  public void close() {
    child.stop(STOP_TIMEOUT);
    ShutdownActions.unregister(atExit);
  }
}
