package dev.weir.it.containers;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * One OpenSearch node in a container on the network of this machine, at 127.0.0.1. Closing it
 * removes the container and its data.
 */
final class ContainerNode implements AutoCloseable {
  /** The folder of OpenSearch in the image. */
  static final String HOME = "/usr/share/opensearch/";

  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final long PAUSE_NANOS = 200_000_000;
  private static final int LOG_LINES = 40;

  private final GenericContainer<?> container;
  private final NodePorts ports;

  private ContainerNode(GenericContainer<?> container, NodePorts ports) {
    this.container = container;
    this.ports = ports;
  }

  /**
   * Starts a container, and does not wait for the node in it.
   *
   * @param environment settings of the node, and what else the image's start script reads
   */
  static ContainerNode start(NodeImage image, NodePorts ports, Map<String, String> environment) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("network.host", "127.0.0.1");
    all.put("http.port", Integer.toString(ports.http()));
    all.put("transport.port", Integer.toString(ports.transport()));
    // small disks of build machines must not fail
    all.put("cluster.routing.allocation.disk.threshold_enabled", "false");
    all.put(
        "OPENSEARCH_JAVA_OPTS",
        "-Xms512m -Xmx512m " + System.getProperty("weir.testkit.node.options", ""));
    all.put("DISABLE_PERFORMANCE_ANALYZER_AGENT_CLI", "true");
    all.putAll(environment);
    GenericContainer<?> container =
        new GenericContainer<>(DockerImageName.parse(image.name()))
            .withNetworkMode("host")
            .withLabel(ContainerEngine.OWNER_LABEL, Long.toString(ProcessHandle.current().pid()))
            .withEnv(all);
    try {
      container.start();
    } catch (RuntimeException e) {
      container.close();
      throw e;
    }
    return new ContainerNode(container, ports);
  }

  /** Returns its transport endpoint, fit for a seed list. */
  String transportAddress() {
    return ports.transportAddress();
  }

  /** Returns its REST endpoint. */
  URI uri(RestAccess access) {
    return URI.create((access.tls() == null ? "http" : "https") + "://127.0.0.1:" + ports.http());
  }

  /** Waits until its REST port is open. */
  void awaitOpenPort() {
    await("an open REST port", () -> !Ports.isFree(ports.http()));
  }

  /**
   * Waits until it serves requests.
   *
   * @param health parameters of the health that is waited for
   */
  void awaitHealth(RestAccess access, String health) {
    String path = "/_cluster/health?timeout=2s&wait_for_no_initializing_shards=true&" + health;
    try (RestClient client = new RestClient(uri(access), access)) {
      await("200 for " + path, () -> succeeds(client, path));
    }
  }

  private static boolean succeeds(RestClient client, String path) {
    try {
      RestReply reply = client.send("GET", path);
      return reply.status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  private void await(String expected, BooleanSupplier condition) {
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      boolean ended = !container.isRunning();
      if (ended || System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "got "
                + (ended
                    ? "an ended container"
                    : "nothing within " + START_TIMEOUT.toMinutes() + " min")
                + " of "
                + container.getDockerImageName()
                + " (expected: "
                + expected
                + "); its log ends with:\n"
                + logTail());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private String logTail() {
    List<String> lines = container.getLogs().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  /** Returns whether a file exists below {@link #HOME}. */
  boolean hasFile(String file) {
    try (InputStream found =
        container
            .getDockerClient()
            .copyArchiveFromContainerCmd(container.getContainerId(), HOME + file)
            .exec()) {
      return found.read() >= 0;
    } catch (NotFoundException absent) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for " + file, e);
    }
  }

  /** Copies a file below {@link #HOME} to this machine. */
  void copyFile(String file, Path target) {
    container.copyFileFromContainer(HOME + file, target.toString());
  }

  @Override
  public void close() {
    container.close();
  }
}
