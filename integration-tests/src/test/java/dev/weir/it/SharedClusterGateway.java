package dev.weir.it;

import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Starts gateways with the default heap, each a process, in front of the shared cluster. */
final class SharedClusterGateway {
  private SharedClusterGateway() {}

  /**
   * Starts a gateway and waits until it is ready. The caller closes it.
   *
   * @param folder for the configuration and the log
   */
  static GatewayChildProcess start(Path folder, int port, int adminPort) throws IOException {
    String seeds =
        SharedCluster.get().seeds().stream()
            .map(seed -> '"' + seed + '"')
            .collect(Collectors.joining(", "));
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            """
            clusters: {main: {seeds: [%s]}}
            http: {listen: "127.0.0.1:%d"}
            admin: {listen: "127.0.0.1:%d"}
            """
                .formatted(seeds, port, adminPort));
    GatewayChildProcess gateway = GatewayChildProcess.start(config, folder.resolve("gateway.log"));
    gateway.awaitReady(URI.create("http://127.0.0.1:" + adminPort));
    return gateway;
  }
}
