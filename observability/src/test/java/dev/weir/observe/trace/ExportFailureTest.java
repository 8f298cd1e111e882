package dev.weir.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.CompletedRequest;
import dev.weir.observe.PrometheusMetrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class ExportFailureTest {
  private static final CompletedRequest GET =
      new CompletedRequest(
          0,
          "h:5",
          "GET",
          "/a",
          "HTTP/1.1",
          "local",
          "get",
          "",
          200,
          0,
          0,
          1,
          "",
          0,
          "",
          "_default",
          "");

  /** What is logged of one request's span that is sent to this port. */
  private static List<String> logged(int port) {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(CountingSpanExporter.class);
    logger.addAppender(lines);
    TracesPolicy policy =
        new TracesPolicy(
            true,
            "http://127.0.0.1:" + port + "/v1/traces",
            "weir",
            100,
            true,
            Map.of(),
            Duration.ofSeconds(20), // a slow machine takes seconds for its first HTTP request
            512);
    try (PrometheusMetrics metrics = new PrometheusMetrics()) {
      OpenTelemetryTraces tracing = OpenTelemetryTraces.create(policy, false, metrics);
      tracing.start(null, System.nanoTime()).end(GET);
      tracing.close();
      long deadline = System.nanoTime() + 40_000_000_000L;
      while (!metrics.scrape().contains("weir_span_export_failures_total 1.0")
          && System.nanoTime() < deadline) {
        LockSupport.parkNanos(20_000_000); // the exporter tries again for seconds
      }
      assertThat(metrics.scrape())
          .contains("weir_span_export_failures_total 1.0", "weir_spans_queued 0.0")
          .contains("weir_spans_exported_total 0.0", "weir_spans_dropped_total 0.0");
      return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void logTheCollectorsResponse() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(401, -1);
          }
        });
    server.start();
    try {
      assertThat(logged(server.getAddress().getPort()))
          .singleElement()
          .asString()
          .startsWith("spans could not be sent, 1 so far, and 0 were dropped: ")
          .contains("401");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void logTheNetworkFailure() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0)) {
      port = taken.getLocalPort();
    }
    assertThat(logged(port)).singleElement().asString().contains("ConnectException");
  }
}
