package dev.weir.bench.restart;

import dev.weir.bench.MeasuredGateway;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.process.ProcessPriority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs commands of {@code weir} that operate on the nodes behind a gateway. */
record WeirCommand(DataNodeCluster cluster, MeasuredGateway gateway, Path folder) {

  /**
   * Runs a command to its end, at the lowest priority: it usually runs on another machine, and the
   * start of its JVM would take CPU time from nodes and clients here.
   *
   * @param words the command and its own options
   * @throws IOException with what it printed if it does not succeed
   */
  void run(String... words) throws IOException, InterruptedException {
    Path config = folder.resolve("weir.yaml");
    String seeds =
        cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    Files.writeString(config, "clusters: {main: {seeds: [" + seeds + "]}}\n");
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(
        List.of(
            "--config",
            config.toString(),
            "--gateway",
            "http://127.0.0.1:" + gateway.address().getPort(),
            "--admin",
            "http://127.0.0.1:" + gateway.adminAddress().getPort()));
    Path log = folder.resolve("command.log");
    try (GatewayChildProcess process =
        GatewayChildProcess.startCommand(log, all.toArray(new String[0]))) {
      ProcessPriority.lower(process.pid());
      int status = process.exitCode().join();
      if (status != 0) {
        throw new IOException(words[0] + " ended with " + status + ": " + Files.readString(log));
      }
    }
  }
}
