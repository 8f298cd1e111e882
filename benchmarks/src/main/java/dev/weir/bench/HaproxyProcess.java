package dev.weir.bench;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ScratchFolder;
import dev.weir.testkit.process.ShutdownActions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An HAProxy process in front of the nodes' REST ports, which balances by least connections. */
public final class HaproxyProcess implements AutoCloseable {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/sbin/haproxy"),
          Path.of("/usr/local/sbin/haproxy"),
          Path.of("/usr/bin/haproxy"));

  private final Process process;
  private final ScratchFolder scratch;
  private final InetSocketAddress address;
  private final Runnable atExit = this::close;

  private HaproxyProcess(Process process, ScratchFolder scratch, InetSocketAddress address) {
    this.process = process;
    this.scratch = scratch;
    this.address = address;
  }

  /** Starts HAProxy; returns null if it is not installed. */
  public static @Nullable HaproxyProcess start(List<DataNode> nodes) throws IOException {
    Path program = PLACES.stream().filter(Files::isExecutable).findFirst().orElse(null);
    if (program == null) {
      return null;
    }
    ScratchFolder scratch = ScratchFolder.create("weir-haproxy-");
    int port = Ports.findFree(new Random());
    Path config = scratch.path().resolve("haproxy.cfg");
    Files.write(config, configuration(port, nodes).toList());
    Process process =
        new ProcessBuilder(program.toString(), "-db", "-f", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(scratch.path().resolve("haproxy.log").toFile())
            .start();
    HaproxyProcess relay =
        new HaproxyProcess(process, scratch, new InetSocketAddress("127.0.0.1", port));
    ShutdownActions.register(relay.atExit);
    return relay;
  }

  private static Stream<String> configuration(int port, List<DataNode> nodes) {
    Stream<String> front =
        Stream.of(
            "defaults",
            "  mode http",
            "  timeout connect 5s",
            "  timeout client 60s",
            "  timeout server 60s",
            "  option http-keep-alive",
            "  http-reuse always",
            "frontend clients",
            "  bind 127.0.0.1:" + port,
            "  default_backend nodes",
            "backend nodes",
            "  balance leastconn",
            "  retries 2",
            "  option redispatch");
    return Stream.concat(
        front,
        nodes.stream()
            .map(node -> "  server " + node.name() + " 127.0.0.1:" + node.httpPort() + " check"));
  }

  public InetSocketAddress address() {
    return address;
  }

  public long pid() {
    return process.pid();
  }

  /** Kills it, also when this JVM shuts down: HAProxy itself would run on. */
  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ShutdownActions.unregister(atExit);
    scratch.close();
  }
}
