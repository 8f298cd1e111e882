package dev.weir.it.operations;

import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** A gateway in a process of its own, in front of the shared cluster. */
final class OperatedGateway implements AutoCloseable {
  private static final Random PORTS = TestSeed.random(OperatedGateway.class);

  private final GatewayChildProcess process;
  private final URI adminUri;
  private final RestClient admin;

  private OperatedGateway(GatewayChildProcess process, int adminPort) {
    this.process = process;
    this.adminUri = URI.create("http://127.0.0.1:" + adminPort);
    this.admin = new RestClient(adminUri);
  }

  /** The sections that each gateway needs. */
  static String sections(String http, int adminPort) {
    String seeds =
        SharedCluster.get().seeds().stream()
            .map(seed -> '"' + seed + '"')
            .collect(Collectors.joining(", "));
    return """
    clusters: {main: {seeds: [%s]}}
    http: {%s}
    admin: {listen: "127.0.0.1:%d", drain-timeout: 20s}
    """
        .formatted(seeds, http, adminPort);
  }

  /** Starts a gateway without waiting until it is ready. */
  static OperatedGateway start(Path config, int adminPort) {
    Path log = config.resolveSibling("gateway-" + adminPort + ".log");
    return new OperatedGateway(GatewayChildProcess.start(config, log), adminPort);
  }

  static int freePort() {
    return Ports.findFree(PORTS);
  }

  OperatedGateway awaitReady() {
    process.awaitReady(adminUri);
    return this;
  }

  RestClient admin() {
    return admin;
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  CompletableFuture<Integer> exitCode() {
    return process.exitCode();
  }

  String log() throws IOException {
    return Files.readString(process.log());
  }

  @Override
  public void close() {
    admin.close();
    process.close();
  }
}
