package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClosedLoopLoadTest {
  private static final String WRITTEN = "{\"took\":3,\"errors\":false,\"items\":[";
  private static final String LOST = "{\"took\":3,\"errors\":true,\"items\":[";

  /** Runs a load against a server that gives every second request another body. */
  private static ClosedLoopLoad.Result run(Workload workload, String one, String other)
      throws IOException {
    AtomicInteger number = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String body = number.getAndIncrement() % 2 == 0 ? one : other;
            byte[] bytes = (body + " ".repeat(1000)).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    server.start();
    try {
      return ClosedLoopLoad.run(server.getAddress(), workload, 1, 0.2);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void countABulkThatLostADocumentAsAnError() throws Exception {
    ClosedLoopLoad.Result seen = run(Workload.bulk(1), WRITTEN, LOST);
    assertThat(seen.errors()).isEqualTo(seen.requests() / 2);
    assertThat(seen.bodyBytes()).isGreaterThan(1000 * seen.requests());
  }

  @Test
  void countNoErrorOfBulksThatLostNone() throws Exception {
    ClosedLoopLoad.Result seen = run(Workload.bulk(1), WRITTEN, WRITTEN);
    assertThat(seen.errors()).isZero();
    assertThat(seen.requests()).isPositive();
  }

  @Test
  void trustTheStatusOfOtherRequests() throws Exception {
    assertThat(run(Workload.search(10), "{}", "").errors()).isZero();
  }
}
