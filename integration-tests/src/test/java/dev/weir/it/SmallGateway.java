package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A gateway in a process of its own, with the default heap of 256 MB. */
public final class SmallGateway implements AutoCloseable {
  private static final Random PORTS = TestSeed.random(SmallGateway.class);

  /** The counts of {@code /stats} that are zero when no request is in flight. */
  private static final Pattern IDLE =
      Pattern.compile(
          "\"in_flight\"\\s*:\\s*\\{\\s*\"requests\"\\s*:\\s*0\\s*,\\s*\"active_actions\"\\s*:\\s*0\\s*,"
              + "\\s*\"node_calls\"\\s*:\\s*0\\s*,\\s*\"queued_requests\"\\s*:\\s*0\\s*,"
              + "\\s*\"write_bytes\"\\s*:\\s*0\\s*,\\s*\"body_bytes\"\\s*:\\s*0\\s*,"
              + "\\s*\"held_frames\"\\s*:\\s*0\\s*,\\s*\"request_memory_bytes\"\\s*:\\s*0\\s*,");

  private final ScratchFolder scratch;
  private final GatewayChildProcess process;
  private final URI uri;
  private final RestClient rest;
  private final RestClient admin;

  private SmallGateway(ScratchFolder scratch, GatewayChildProcess process, URI uri, URI admin) {
    this.scratch = scratch;
    this.process = process;
    this.uri = uri;
    this.rest = new RestClient(uri);
    this.admin = new RestClient(admin);
  }

  /** Starts a gateway with the default policies on free ports, and waits until it is ready. */
  public static SmallGateway inFrontOf(List<String> seeds) {
    return inFrontOf(seeds, "");
  }

  /**
   * Starts a gateway on free ports, and waits until it is ready.
   *
   * @param more further sections of its configuration
   */
  public static SmallGateway inFrontOf(List<String> seeds, String more) {
    int port = Ports.findFree(PORTS);
    int adminPort = Ports.findFree(PORTS);
    ScratchFolder scratch = ScratchFolder.create("weir-small-gateway-");
    String quoted = seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    try {
      Path config =
          Files.writeString(
              scratch.path().resolve("weir.yaml"),
              """
              clusters: {main: {seeds: [%s]}}
              http: {listen: "127.0.0.1:%d"}
              admin: {listen: "127.0.0.1:%d"}
              %s
              """
                  .formatted(quoted, port, adminPort, more));
      URI admin = URI.create("http://127.0.0.1:" + adminPort);
      SmallGateway gateway =
          new SmallGateway(
              scratch,
              GatewayChildProcess.start(config, scratch.path().resolve("gateway.log")),
              URI.create("http://127.0.0.1:" + port),
              admin);
      gateway.process.awaitReady(admin);
      return gateway;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns its REST endpoint. */
  public URI uri() {
    return uri;
  }

  /** Returns a client of its REST endpoint. */
  public RestClient rest() {
    return rest;
  }

  /** Returns a client of its admin endpoint. */
  public RestClient admin() {
    return admin;
  }

  public long pid() {
    return process.pid();
  }

  /** Returns the lines that it has written so far. */
  public List<String> log() {
    try {
      return Files.exists(process.log()) ? Files.readAllLines(process.log()) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public boolean isAlive() {
    return !process.exitCode().isDone();
  }

  /** Fails if the process has ended. */
  public void assertAlive() {
    assertThat(process.exitCode()).as(() -> String.join("\n", log())).isNotDone();
  }

  /** Waits until no request is in flight and none holds memory; fails after a timeout. */
  public void assertNothingHeld() {
    Await.untilValue(
        "no work in flight at rest: " + IDLE, this::stats, stats -> IDLE.matcher(stats).find());
  }

  private String stats() {
    return admin.send("GET", "/stats").orThrow().body();
  }

  @Override
  public void close() {
    rest.close();
    admin.close();
    process.close();
    scratch.close();
  }
}
