package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatewayAdminTest {
  @Test
  void countAGatewayThatDoesNotAnswerAsBusy() throws Exception {
    try (Socket silent = new Socket();
        RestConnections connections = new RestConnections()) {
      silent.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)); // never listens
      String base = "http://127.0.0.1:" + silent.getLocalPort();
      RestTarget closed = new RestTarget(connections, URI.create(base), Map.of());
      GatewayAdmin gateways = new GatewayAdmin(List.of(closed), "", Duration.ZERO);
      assertThat(gateways.busyWith(List.of("a")))
          .containsOnly(Map.entry(base, base + " does not answer"));
      assertThat(gateways.unawareOf(List.of("a"))).isEmpty();
      assertThat(gateways.belowShare(Map.of("a", 1.0))).isEmpty();
    }
  }
}
