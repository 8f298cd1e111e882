package dev.weir.gateway.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of a gateway in front of two clusters; the first call of the blue one takes long. */
@Timeout(30)
class OperationPagesTest {
  private static final String HEADER = "X-Cluster";
  private static final GatewayPolicy POLICY =
      TestPolicies.parse(
          "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n"
              + "operations: {window-command: \"true\"}\n"
              + "traffic: {canary-header: "
              + HEADER
              + "}");

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final OperationPages pages;
  private final Site site = new Site(new HashMap<>());
  private volatile int status = 200;
  private volatile String body = "{}";

  /** Whether all calls wait for {@link #answered}. */
  private volatile boolean silent;

  OperationPagesTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
    pages = new OperationPages(() -> POLICY, server::getAddress, server::getAddress);
    pages.addPages(site);
  }

  @AfterEach
  void close() {
    answered.countDown();
    pages.close();
    server.stop(0);
    threads.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean isBlue = "blue".equals(exchange.getRequestHeaders().getFirst(HEADER));
    if (silent || (isBlue && asked.getCount() > 0)) {
      asked.countDown();
      try {
        answered.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private record Site(Map<String, ParameterizedAdminPage> pages) implements AdminPageRegistry {
    @Override
    public AdminPageRegistry get(String path, AdminPage page) {
      return add(path, query -> page.render());
    }

    @Override
    public AdminPageRegistry getWithQuery(String path, ParameterizedAdminPage page) {
      return add(path, page);
    }

    @Override
    public AdminPageRegistry post(String path, AdminPage page) {
      return add(path, query -> page.render());
    }

    @Override
    public AdminPageRegistry postWithQuery(String path, ParameterizedAdminPage page) {
      return add(path, page);
    }

    private AdminPageRegistry add(String path, ParameterizedAdminPage page) {
      pages.put(path, page);
      return this;
    }

    AdminResponse render(String path, String cluster) {
      return render(path, Map.of("cluster", cluster));
    }

    AdminResponse render(String path, Map<String, String> query) {
      return Objects.requireNonNull(pages.get(path), path).render(query);
    }
  }

  private JsonTree shown(String cluster) throws IOException {
    AdminResponse response = site.render("/operations", cluster);
    assertThat(response.status()).as(response.body()).isEqualTo(200);
    return JsonReader.readObject(response.body());
  }

  @Test
  void showTheRunOfTheNamedClusterAlone() throws Exception {
    FutureTask<AdminResponse> resumed =
        new FutureTask<>(() -> site.render("/operations/resume", "blue"));
    threads.execute(resumed);
    asked.await();
    assertThat(shown("blue").isTrue("runs_here")).isTrue();
    assertThat(shown("green").isTrue("runs_here")).isFalse();
    AdminResponse second = site.render("/operations/resume", "green");
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.body()).contains("see GET /operations?cluster=blue");

    answered.countDown();
    assertThat(resumed.get(20, TimeUnit.SECONDS).body()).contains("no operation has begun");
    assertThat(shown("blue").items("progress").toString()).contains("no operation has begun");
    assertThat(shown("green").items("progress")).isEmpty();
  }

  /** Pages that answer before an operation can have begun. */
  private OperationPages hastyPages() {
    return pages(Duration.ofSeconds(10), Duration.ofSeconds(20));
  }

  private OperationPages pages(Duration response, Duration work) {
    return new OperationPages(
        () -> POLICY,
        server::getAddress,
        server::getAddress,
        new OperationPages.Timeouts(Duration.ofMillis(10), response, work));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/operations", "/operations/abort"})
  void answerThoughNoResponseComes(String path) {
    silent = true;
    try (OperationPages impatient = pages(Duration.ofMillis(50), Duration.ofSeconds(20))) {
      Site own = new Site(new HashMap<>());
      impatient.addPages(own);
      AdminResponse response = own.render(path, "green");
      assertThat(response.status()).as(response.body()).isEqualTo(409);
      assertThat(response.body()).contains("GET /_cluster/settings", "got no answer");
    }
  }

  @Test
  void endAnAbortThatTakesTooLong() {
    body =
        """
        {"persistent": {"cluster.metadata.weir.operation": "{\\"version\\": 4, \\"id\\": \\"i\\",
        \\"operation\\": \\"window\\", \\"started_at\\": \\"1970-01-01T00:00:00Z\\",
        \\"batches\\": [[\\"a\\"]], \\"step\\": \\"drain\\", \\"options\\":
        {\\"drain_timeout\\": \\"PT1S\\", \\"return_timeout\\": \\"PT1S\\",
        \\"green_timeout\\": \\"PT1S\\", \\"ramp\\": \\"PT1S\\"}}"}}
        """
            .replace("\n", "");
    try (OperationPages impatient = pages(Duration.ofSeconds(10), Duration.ZERO)) {
      Site own = new Site(new HashMap<>());
      impatient.addPages(own);
      AdminResponse response = own.render("/operations/abort", "green");
      assertThat(response.status()).as(response.body()).isEqualTo(409);
      assertThat(response.body()).contains("answers too slowly", "call it again");
    }
  }

  @Test
  void carryOutOneOfManyOperationsAtOnce() throws Exception {
    try (OperationPages hasty = hastyPages()) {
      Site own = new Site(new HashMap<>());
      hasty.addPages(own);
      CountDownLatch go = new CountDownLatch(1);
      List<Future<Integer>> statuses = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        statuses.add(
            threads.submit(() -> {
              go.await();
              return own.render("/operations/resume", "blue").status();
            }));
      }
      go.countDown();
      List<Integer> got = new ArrayList<>();
      for (Future<Integer> each : statuses) {
        got.add(each.get());
      }
      assertThat(got).containsOnlyOnce(202).contains(409);
      assertThat(Collections.frequency(got, 409)).isEqualTo(15);
    }
  }

  @Test
  void showAndStopWhatHasNotBegunWhileTheClusterRejectsCalls() {
    try (OperationPages hasty = hastyPages()) {
      Site own = new Site(new HashMap<>());
      hasty.addPages(own);
      status = 503;
      assertThat(own.render("/operations/resume", "green").status()).isEqualTo(202);
      AdminResponse shown = own.render("/operations", "green");
      assertThat(shown.status()).as(shown.body()).isEqualTo(200);
      assertThat(shown.body())
          .contains("\"runs_here\": true", "\"problem\"", "got status 503")
          .doesNotContain("\"operation\"");

      AdminResponse stopped = own.render("/operations/abort", "green");
      assertThat(stopped.status()).as(stopped.body()).isEqualTo(409);
      assertThat(stopped.body()).contains("the operation is stopped in this gateway");
      assertThat(hasty.isRunning()).isFalse();
      status = 200;
      assertThat(own.render("/operations/abort", "green").body())
          .contains("no operation has begun");
    }
  }

  @Test
  void stopWhatHasNotBegun() throws InterruptedException {
    try (OperationPages hasty = hastyPages()) {
      Site own = new Site(new HashMap<>());
      hasty.addPages(own);
      assertThat(own.render("/operations/resume", "blue").status()).isEqualTo(202);
      asked.await();
      AdminResponse stopped = own.render("/operations/abort", "blue");
      assertThat(stopped.status()).as(stopped.body()).isEqualTo(200);
      assertThat(stopped.body()).contains("stopped; there is no journal");
      assertThat(hasty.isRunning()).isFalse();
    }
  }

  @Test
  void answerWhileTheClusterDoesNot() {
    try (OperationPages hasty = hastyPages()) {
      Site own = new Site(new HashMap<>());
      hasty.addPages(own);
      assertThat(hasty.isRunning()).isFalse();
      AdminResponse response = own.render("/operations/resume", "blue");
      assertThat(response.status()).as(response.body()).isEqualTo(202);
      assertThat(response.body())
          .contains("\"runs_here\": true", "not begun yet: see GET /operations?cluster=blue");
      assertThat(hasty.isRunning()).isTrue();
    }
  }

  @Test
  void refuseAnOutcomeThatACommandCannotHave() {
    for (String command : new String[] {"", "failed"}) {
      AdminResponse response =
          site.render("/operations/resume", Map.of("cluster", "green", "command", command));
      assertThat(response.status()).as(response.body()).isEqualTo(400);
      assertThat(response.body())
          .contains("command: got [" + command + "] (expected: ended or repeat)");
    }
  }

  @Test
  void refuseToGuessTheCluster() {
    for (String cluster : new String[] {"", "red"}) {
      AdminResponse response = site.render("/operations", cluster);
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.body()).contains("expected: one of blue, green");
    }
  }

  @Test
  void refuseRampThatGatewaysDoNotTake() {
    for (String ramp : new String[] {"soon", "500ms", "25h"}) {
      AdminResponse response =
          site.render("/operations/window", Map.of("cluster", "blue", "node", "n1", "ramp", ramp));
      assertThat(response.status()).as(response.body()).isEqualTo(400);
      assertThat(response.body()).contains("ramp").contains("expected");
    }
  }
}
