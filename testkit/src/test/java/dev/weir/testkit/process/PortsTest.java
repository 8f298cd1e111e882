package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
  @Test
  void handsOutEachPortOnce() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      // The same seed each time: the same candidates, so that only the memory makes them differ.
      ports.add(Ports.findFree(new Random(7)));
    }
    assertThat(ports).hasSize(50).allMatch(Ports::isFree);
  }

  @Test
  void reportATakenPortWithARemedy() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
      int port = taken.getLocalPort();

      assertThat(Ports.isFree(port)).isFalse();
      assertThatThrownBy(() -> Ports.requireFree(port, "the REST endpoint", "use --port"))
          .isInstanceOf(PortTakenException.class)
          .hasMessage(
              "port "
                  + port
                  + " is taken (expected: free, for the REST endpoint):"
                  + " stop what listens there, or use --port");
    }
  }
}
