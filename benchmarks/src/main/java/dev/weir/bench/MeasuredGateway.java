package dev.weir.bench;

import dev.weir.testkit.GatewayProcess;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** A gateway as its users run it, in a process of its own, on free ports. */
final class MeasuredGateway implements AutoCloseable {
  private final GatewayProcess process;
  private final ScratchFolder scratch;
  private final InetSocketAddress address;

  private MeasuredGateway(
      GatewayProcess process, ScratchFolder scratch, InetSocketAddress address) {
    this.process = process;
    this.scratch = scratch;
    this.address = address;
  }

  static MeasuredGateway start(List<String> seeds) throws IOException {
    Random random = new Random();
    ScratchFolder scratch = ScratchFolder.create("weir-bench-");
    Path folder = scratch.path();
    int http = Ports.free(random);
    int admin = Ports.free(random);
    Path config = folder.resolve("weir.yaml");
    String quoted = seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    Files.writeString(
        config,
        """
        clusters:
          main:
            seeds: [%s]
        http:
          listen: 127.0.0.1:%d
        admin:
          listen: 127.0.0.1:%d
        """
            .formatted(quoted, http, admin));
    GatewayProcess process = GatewayProcess.start(config, folder.resolve("gateway.log"));
    process.awaitReady(URI.create("http://127.0.0.1:" + admin));
    return new MeasuredGateway(process, scratch, new InetSocketAddress("127.0.0.1", http));
  }

  InetSocketAddress address() {
    return address;
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.close();
    scratch.close();
  }
}
