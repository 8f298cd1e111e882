package dev.weir.gateway.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.Gateway;
import dev.weir.gateway.logging.AsyncLogAppenderTest.HeldAppender;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A gateway with a blocked standard output. */
final class BlockedLogTest {
  private static final int CAPACITY = 32;
  private static final int REQUESTS = 100;
  private static final Pattern DROPPED =
      Pattern.compile("weir_log_dropped_lines_total\\{log=\"access\"\\} (\\d+)");

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
  private final HeldAppender output = new HeldAppender();
  private final AsyncLogAppender appender =
      new AsyncLogAppender(
          output, CAPACITY, Duration.ofSeconds(60), new LogRateLimitFilter(System::nanoTime));

  /** Of a command that another test ran in this process. */
  private @Nullable AsyncLogAppender before;

  @BeforeEach
  void install() {
    before = AsyncLogAppender.installed();
    if (before != null) {
      root.detachAppender(before);
    }
    output.setContext(context);
    output.start();
    appender.setContext(context);
    appender.start();
    root.addAppender(appender);
    context.getLogger("weir.access").setLevel(Level.INFO);
  }

  @AfterEach
  void remove() {
    output.release();
    context.getLogger("weir.access").setLevel(null);
    root.detachAppender(appender);
    appender.stop();
    if (before != null) {
      root.addAppender(before);
    }
  }

  @Test
  void answerRequestsAndCountDroppedLines() throws Exception {
    try (Gateway gateway = Gateway.start(policy(), OpenSearchRegistries.create());
        HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(send(client, gateway.restAddress(), "/_cat/health").statusCode()).isEqualTo(503);
      }

      String metrics;
      long dropped;
      do { // the line of the last request may be dropped after its response
        dropped = appender.droppedAccessLines();
        metrics = send(client, gateway.adminAddress(), "/metrics").body();
      } while (dropped != appender.droppedAccessLines());
      assertThat(DROPPED.matcher(metrics).results().map(MatchResult::group).toList()).hasSize(1);
      assertThat(dropped).isGreaterThanOrEqualTo(REQUESTS - CAPACITY - 1);
      assertThat(metrics).contains("weir_log_dropped_lines_total{log=\"access\"} " + dropped);
      assertThat(send(client, gateway.adminAddress(), "/stats").body())
          .contains("\"dropped_access_lines\": " + dropped);
      assertThat(output.lines).isEmpty();
    }
  }

  private static HttpResponse<String> send(HttpClient client, InetSocketAddress to, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + to.getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static GatewayPolicy policy() {
    String text =
        """
        clusters: {main: {seeds: ["127.0.0.1:1"]}}
        http: {listen: "127.0.0.1:0", event-loops: 2}
        admin: {listen: "127.0.0.1:0"}
        observability: {access-log-enabled: true}
        """;
    if (new PolicyLoader(Map.of()).parse("test", text)
        instanceof LoadResult.Loaded(GatewayPolicy policy, _)) {
      return policy;
    }
    throw new AssertionError("the test's own configuration is wrong");
  }
}
