package dev.weir.gateway.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.protocol.EventLoops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestAuthenticationProbeTest {
  private final EventLoops loops = EventLoops.start(1);
  private final RestAuthenticationProbe probe =
      new RestAuthenticationProbe(loops.group(), loops.socketChannel(), null);
  private final Queue<String> requested = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    loops.close();
  }

  private ProbeResult probeServer(ToIntFunction<String> statusOfPath) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          requested.add(path + exchange.getRequestHeaders().containsKey("Authorization"));
          exchange.sendResponseHeaders(statusOfPath.applyAsInt(path), -1);
          exchange.close();
        });
    server.start();
    try {
      return probe.probe(server.getAddress()).join();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void recognizeANodeThatServesEverybody() throws IOException {
    assertThat(probeServer(path -> 200)).isEqualTo(ProbeResult.Open.SERVED);
    assertThat(requested).containsExactly("/false", "/.weir-authorization-probe-*/_searchfalse");
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 407, 302})
  void recognizeANodeThatAsksForCredentials(int status) throws IOException {
    assertThat(probeServer(path -> status)).isEqualTo(new ProbeResult.Secured(status));
  }

  @Test
  void seeSecurityBehindAnOpenBanner() throws IOException {
    assertThat(probeServer(path -> path.equals("/") ? 200 : 401))
        .isEqualTo(new ProbeResult.Secured(401));
  }

  @Test
  void takeOtherAnswersForUnclear() throws IOException {
    assertThat(probeServer(path -> 503)).isEqualTo(new ProbeResult.Unclear("answered 503"));
  }

  @Test
  void takeAClosedConnectionForUnclear() throws Exception {
    try (ServerSocket closing = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread accepting =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  closing.accept().close();
                } catch (IOException stopped) {
                  // the test has ended
                }
              });
      assertThat(probe.probe((InetSocketAddress) closing.getLocalSocketAddress()).join())
          .isInstanceOf(ProbeResult.Unclear.class);
      accepting.join();
    }
  }

  @Test
  void recognizeAPortThatNobodyListensOn() throws IOException {
    InetSocketAddress free;
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = (InetSocketAddress) unused.getLocalSocketAddress();
    }
    assertThat(probe.probe(free).join()).isInstanceOf(ProbeResult.Unreachable.class);
  }

  @Test
  void recognizeASilentPort() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(probe.probe((InetSocketAddress) silent.getLocalSocketAddress()).join())
          .isEqualTo(new ProbeResult.Unreachable("no response"));
    }
  }
}
