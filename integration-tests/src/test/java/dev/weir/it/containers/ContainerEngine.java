package dev.weir.it.containers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Info;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;

/** The container engine of this machine, which speaks Docker's API. */
final class ContainerEngine {
  /** The label of each container of these tests: the process id of the JVM that started it. */
  static final String OWNER_LABEL = "dev.weir.test.owner";

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  private ContainerEngine() {}

  /**
   * What was found once for all tests of the JVM.
   *
   * @param client null where no engine is fit
   * @param problem why none is fit
   */
  private record Found(@Nullable DockerClient client, String problem) {}

  /** Returns a client of the engine; skips the test where nodes in containers can't be reached. */
  static DockerClient clientOrSkip() {
    assumeTrue(Holder.FOUND.client() != null, Holder.FOUND.problem());
    return Objects.requireNonNull(Holder.FOUND.client());
  }

  private static Found find() {
    String system = System.getProperty("os.name", "");
    if (!system.equals("Linux")) {
      return new Found(
          null, "nodes in containers need Linux, where they share the network: this is " + system);
    }
    try {
      DockerClient client = DockerClientFactory.instance().client();
      String problem = problem(client.infoCmd().exec());
      if (problem != null) {
        return new Found(null, problem);
      }
      removeLeftovers(client);
      return new Found(client, "");
    } catch (RuntimeException e) { // of Testcontainers or of its client
      return new Found(
          null,
          "no container engine can be used here, at DOCKER_HOST or a socket of Docker: "
              + e.getMessage());
    }
  }

  /** Returns why a node in a container would not be at this machine's 127.0.0.1; null if it is. */
  private static @Nullable String problem(Info engine) {
    String here = hostName() + ", " + System.getProperty("os.version");
    String there = engine.getName() + ", " + engine.getKernelVersion();
    if (!here.equals(there)) {
      return "the container engine runs on another host or kernel, so that its containers do not"
          + " share this machine's network: "
          + there
          + " (expected: "
          + here
          + ")";
    }
    List<String> options = engine.getSecurityOptions();
    return options != null && options.stream().anyMatch(option -> option.contains("rootless"))
        ? "the container engine is rootless, so that its containers have a network of their own"
        : null;
  }

  private static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + HOST_NAME, e);
    }
  }

  /** Removes the containers of JVMs that were killed. */
  private static void removeLeftovers(DockerClient client) {
    List<Container> ours =
        client.listContainersCmd().withShowAll(true).withLabelFilter(List.of(OWNER_LABEL)).exec();
    for (Container container : ours) {
      long owner = Long.parseLong(container.getLabels().getOrDefault(OWNER_LABEL, "0"));
      if (owner == 0 || ProcessHandle.of(owner).isEmpty()) {
        remove(client, container.getId());
      }
    }
  }

  private static void remove(DockerClient client, String id) {
    try {
      client.removeContainerCmd(id).withForce(true).withRemoveVolumes(true).exec();
    } catch (NotFoundException removedByAnotherJvm) {
      // as wanted
    }
  }

  private static final class Holder {
    static final Found FOUND = find();
  }
}
