package dev.weir.gateway.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.Gateway;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A gateway with a recorded node; its access log has the id of each request. */
final class LoggedNumberTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("weir.access");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  @BeforeEach
  void listen() {
    appender.setContext(log.getLoggerContext());
    appender.start();
    log.addAppender(appender);
    log.setAdditive(false);
    log.setLevel(Level.INFO);
  }

  @AfterEach
  void listenNoMore() {
    log.setLevel(null);
    log.setAdditive(true);
    log.detachAppender(appender);
  }

  @Test
  void explainASearchByTheIdInItsLogLine() throws Exception {
    RehearsalRequest search = RehearsalRequest.allRequests().getFirst();
    try (ReplayNode node = ReplayNode.start(TransportRecording.load());
        Gateway gateway = Gateway.start(logging(node.port()));
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(gateway.awaitReady(PATIENCE)).isTrue();
      assertThat(
              send(
                      client,
                      request(gateway.restAddress(), search.path())
                          .header("X-Opaque-Id", search.name())
                          .header("Content-Type", "application/json")
                          .POST(HttpRequest.BodyPublishers.ofString(search.body())))
                  .statusCode())
          .isEqualTo(200);

      String line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(line)
          .contains("coordinated/", " request-id=")
          .endsWith(" opaque-id=" + search.name());
      Matcher number = Pattern.compile(" request-id=(\\d+) ").matcher(line);
      assertThat(number.find()).isTrue();
      HttpResponse<String> explained =
          send(
              client,
              request(gateway.adminAddress(), "/routing/explain?request=" + number.group(1)));

      assertThat(explained.statusCode()).isEqualTo(200);
      assertThat(explained.body())
          .contains("\"request_id\": \"" + number.group(1) + "\"")
          .contains("\"opaque_id\": \"" + search.name() + "\"")
          .contains("\"index\": \"" + RehearsalRequest.INDEX + "\"");
    }
  }

  private static HttpRequest.Builder request(InetSocketAddress to, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.getPort() + path));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static GatewayPolicy logging(int port) {
    String text =
        """
        clusters: {main: {seeds: ["127.0.0.1:%d"], authorization: none}}
        http: {listen: "127.0.0.1:0", event-loops: 2}
        admin: {listen: "127.0.0.1:0"}
        observability: {access-log-enabled: true}
        """
            .formatted(port);
    return TestPolicies.parse(text);
  }
}
