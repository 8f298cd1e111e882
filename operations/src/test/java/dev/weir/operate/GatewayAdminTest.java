package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatewayAdminTest {
  @Test
  void countAGatewayThatDoesNotAnswerAsBusy() throws Exception {
    try (RestConnections connections = new RestConnections()) {
      String base = "http://127.0.0.1:" + closedPort();
      RestTarget closed = new RestTarget(connections, URI.create(base), Map.of());
      GatewayAdmin gateways = new GatewayAdmin(List.of(closed), "", Duration.ZERO);
      assertThat(gateways.busyWith(List.of("a")))
          .containsOnly(Map.entry(base, base + " does not answer"));
      assertThat(gateways.unawareOf(List.of("a"))).isEmpty();
      assertThat(gateways.below(Map.of("a", 1.0))).isEmpty();
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
