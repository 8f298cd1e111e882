package dev.weir.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.observe.admin.AdminResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class AuditLogTest {
  private static final String TOKEN = "correct-horse-battery";

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.NAME);

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private List<String> messages() {
    synchronized (lines) {
      return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
  }

  private static int send(AdminServer server, String method, String path, String user)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.address().getPort() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (!user.isEmpty()) {
      String pair =
          Base64.getEncoder().encodeToString((user + ":" + TOKEN).getBytes(StandardCharsets.UTF_8));
      request.header("Authorization", "Basic " + pair);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }

  private static AdminServer start() throws Exception {
    AdminRouter site =
        AdminRouter.builder()
            .get("/stats", () -> AdminResponse.text(200, "figures\n"))
            .getWithQuery("/explain", query -> AdminResponse.json(200, query))
            .postWithQuery("/explain", query -> AdminResponse.json(200, query))
            .postWithQuery("/shift", query -> AdminResponse.json(200, query))
            .build();
    return AdminTestServers.start(site, AdminTestServers.policy("token: " + TOKEN), null);
  }

  @Test
  void recordWhoChangedWhatFromWhere() throws Exception {
    try (AdminServer server = start()) {
      assertThat(send(server, "POST", "/shift?blue=1&green=9", "alice")).isEqualTo(200);
    }
    assertThat(messages())
        .singleElement()
        .asString()
        .matches("POST /shift\\?blue=1&green=9 by alice from 127\\.0\\.0\\.1:\\d+: 200");
  }

  @Test
  void recordRejectedAttempts() throws Exception {
    try (AdminServer server = start()) {
      assertThat(send(server, "POST", "/shift?blue=1", "")).isEqualTo(401);
    }
    assertThat(messages())
        .singleElement()
        .asString()
        .startsWith("POST /shift?blue=1 by unauthenticated from ")
        .endsWith(": 401");
  }

  @Test
  void recordNoReads() throws Exception {
    try (AdminServer server = start()) {
      assertThat(send(server, "GET", "/stats", "alice")).isEqualTo(200);
      assertThat(send(server, "POST", "/explain?a=b", "alice")).isEqualTo(200);
      assertThat(send(server, "GET", "/shift", "alice")).isEqualTo(405);
    }
    assertThat(messages()).isEmpty();
  }

  @Test
  void boundTheLinesOfRejectedAttempts() throws Exception {
    long[] now = {0};
    AuditLog audit = new AuditLog(() -> now[0]);
    AdminRequest request = AdminRequests.post("/shift");
    for (int i = 0; i < 500; i++) {
      audit.record(request, "unauthenticated", 401);
    }
    assertThat(messages()).hasSize(60);
    audit.record(request, "alice", 200);
    assertThat(messages()).hasSize(61);
    now[0] = 60_000_000_000L;
    audit.record(request, "unauthenticated", 401);
    assertThat(messages()).hasSize(63).contains("left out 440 rejected attempts");
  }

  @Test
  void recordEveryFailedChange() {
    AuditLog audit = new AuditLog(() -> 0);
    AdminRequest request = AdminRequests.post("/shift");
    for (int i = 0; i < 100; i++) {
      audit.record(request, "unauthenticated", 401);
      audit.record(request, "alice", 403); // a page of another site made her browser ask
    }
    assertThat(messages()).hasSize(60);
    for (int i = 0; i < 100; i++) {
      audit.record(request, "alice", 400);
      audit.record(request, "alice", 500);
    }
    assertThat(messages()).hasSize(60 + 200);
  }

  @Test
  void encodeControlCharacters() {
    AuditLog audit = new AuditLog(() -> 0);
    audit.record(AdminRequests.post("/shift?a=\u001b[2J"), "eve\nroot", 200);
    assertThat(messages())
        .containsExactly("POST /shift?a=\\u001b[2J by eve\\u000aroot from 127.0.0.1:50000: 200");
  }
}
