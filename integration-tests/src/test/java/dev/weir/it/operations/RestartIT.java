package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Gateways that replace each other while 32 clients search. */
@Drawn(oneIn = 4)
class RestartIT {
  private static final String INDEX = "restart";
  private static final int CLIENTS = 32;
  private static final int ROUNDS = 2;

  /** Requests wait for as long as a busy machine needs: this test is about connections. */
  private static final String PATIENT = "admission: {queue: {max-wait: 60s}}\n";

  @TempDir private Path folder;

  private final int port = OperatedGateway.freePort();

  private OperatedGateway start() throws Exception {
    int admin = OperatedGateway.freePort();
    Path config =
        Files.writeString(
            folder.resolve("weir-" + admin + ".yaml"),
            OperatedGateway.sections("listen: \"127.0.0.1:" + port + "\", reuse-port: true", admin)
                + PATIENT);
    return OperatedGateway.start(config, admin);
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "ports are shared by epoll sockets alone")
  void replaceGatewayWithoutRefusedOrResetConnection() throws Exception {
    SharedCluster.get()
        .rest()
        .send("PUT", "/" + INDEX + "/_doc/1?refresh=true", "{\"n\":1}")
        .orThrow();
    OperatedGateway running = start().awaitReady();
    try (RequestLoad clients = new RequestLoad(port, "/" + INDEX + "/_search?q=n:1", CLIENTS, 50)) {
      for (int round = 0; round < ROUNDS; round++) {
        OperatedGateway next = start().awaitReady();
        running.signal("TERM");
        int status = running.exitCode().get(60, TimeUnit.SECONDS);
        String log = running.log();
        running.close();
        running = next;
        assertThat(status).as(log).isZero();
        assertThat(log).contains("draining").doesNotContain("did not finish in time");
        clients.awaitNext();
        assertThat(clients.failures()).as("round " + round).isEmpty();
      }
      clients.stop();
      assertThat(clients.failures()).isEmpty();
      assertThat(clients.connections()).as("connections made").isGreaterThan(200);
    } finally {
      running.close();
      SharedCluster.get().rest().send("DELETE", "/" + INDEX);
    }
  }
}
