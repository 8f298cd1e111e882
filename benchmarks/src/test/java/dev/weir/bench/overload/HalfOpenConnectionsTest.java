package dev.weir.bench.overload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ResultChecks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HalfOpenConnectionsTest {
  private static final int CONNECTIONS = 20;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ResultChecks checks =
      new ResultChecks(new PrintStream(printed, true, StandardCharsets.UTF_8));

  /** Opens connections to a server that reads none of them. */
  private HalfOpenConnections open(String sources, int maxOpen) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        HalfOpenConnections stalled =
            new HalfOpenConnections(
                (InetSocketAddress) server.getLocalSocketAddress(), sources, maxOpen)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        stalled.openOne();
      }
      assertThat(stalled.tried()).isEqualTo(CONNECTIONS);
      assertThat(stalled.openCount()).isEqualTo(Math.min(stalled.reached(), maxOpen));
      StalledConnections.check(checks, CONNECTIONS, stalled);
      return stalled;
    }
  }

  @Test
  void keepSomeOpenAndCloseTheOldest() throws IOException {
    HalfOpenConnections stalled = open("127.0.0.", 5);

    assertThat(stalled.reached()).isEqualTo(CONNECTIONS);
    assertThat(stalled.closedByPeer()).isZero();
    assertThat(checks.exitCode()).isZero();
  }

  /** 203.0.113.0/24 is for documentation: no machine has such an address. */
  @Test
  void countNoneThatFailsBeforeItReachesTheServer() throws IOException {
    HalfOpenConnections stalled = open("203.0.113.", 5);

    assertThat(stalled.reached()).isZero();
    assertThat(stalled.closedByPeer()).isZero();
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
    checks.print();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("MISSED  a crowd of 20: connections that reached the gateway, of all 0.000");
  }

  @Test
  void countThoseThatAreRefused() throws IOException {
    InetSocketAddress nobody;
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      nobody = (InetSocketAddress) gone.getLocalSocketAddress();
    }
    try (HalfOpenConnections stalled = new HalfOpenConnections(nobody, "127.0.0.", 5)) {
      stalled.openOne();

      assertThat(stalled.reached()).isEqualTo(1);
      assertThat(stalled.closedByPeer()).isEqualTo(1);
      assertThat(stalled.openCount()).isZero();
    }
  }
}
