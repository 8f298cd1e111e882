package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.operations.RequestLoad.Answer;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration that changes while 32 clients search. */
class ReloadIT {
  private static final String INDEX = "reload";
  private static final int CLIENTS = 32;

  /** A change is live two seconds after it was made. A slow machine gets ten times as long. */
  private static final long LIVE_NANOS = Duration.ofSeconds(20).toNanos();

  private static final String TRIMMED =
      """
      responses:
        trimming:
          profiles: {lean: {drop: [shards]}}
          rules: [{profile: lean, user-agents: ["load/*"]}]
      """;

  /** Takes some seconds. */
  private static final String SLOW =
      "{\"query\":{\"script\":{\"script\":{\"source\":\"double turn(double x) { double s = x;"
          + " for (int i = 0; i < 500000; i++) { s = Math.sin(s + i) } return s }"
          + " double all = 0; for (int i = 0; i < 150; i++) { all += turn(i) }"
          + " return all < 1e300\"}}}}";

  @TempDir private static Path folder;

  private static final int PORT = GatewayUnderTest.freePort();
  private static final int ADMIN = GatewayUnderTest.freePort();
  private static final String PLAIN =
      GatewayUnderTest.sections("listen: \"127.0.0.1:" + PORT + "\"", ADMIN);

  private static GatewayUnderTest gateway;
  private static int versions;

  @BeforeAll
  static void start() throws Exception {
    SharedCluster.get()
        .rest()
        .send(
            "PUT", "/" + INDEX, "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0}}")
        .orThrow();
    SharedCluster.get()
        .rest()
        .send("PUT", "/" + INDEX + "/_doc/1?refresh=true", "{\"n\":1}")
        .orThrow();
    put(PLAIN);
    Path config =
        Files.createSymbolicLink(folder.resolve("weir.yaml"), Path.of("..data", "weir.yaml"));
    gateway = GatewayUnderTest.start(config, ADMIN).awaitReady();
  }

  @AfterAll
  static void close() {
    gateway.close();
    SharedCluster.get().rest().send("DELETE", "/" + INDEX);
  }

  /** Puts a configuration in place as Kubernetes does: another folder behind the same link. */
  private static long put(String text) throws Exception {
    Path version = Files.createDirectory(folder.resolve("..version-" + versions++));
    Files.writeString(version.resolve("weir.yaml"), text);
    Path aside = Files.createSymbolicLink(folder.resolve("..aside"), version.getFileName());
    Files.move(aside, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    return System.nanoTime();
  }

  private static boolean trimmed(Answer answer) {
    return !answer.body().contains("\"_shards\"");
  }

  @Test
  void aChangeGoesLiveAndNoRequestFails() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    try (RequestLoad clients = new RequestLoad(PORT, "/" + INDEX + "/_search?q=n:1", CLIENTS, 5)) {
      assertThat(clients.next(60_000)).isNotNull();
      CompletableFuture<HttpResponse<String>> begunBefore =
          http.sendAsync(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:" + PORT + "/" + INDEX + "/_search"))
                  .header("User-Agent", "load/slow")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(SLOW))
                  .build(),
              BodyHandlers.ofString());
      Thread.sleep(300);

      long changed = put(PLAIN + TRIMMED);
      Answer first = awaitTrimmed(clients, true, changed);
      assertThat(begunBefore).as("the slow search is still under way").isNotDone();

      Files.writeString(folder.resolve("..data").resolve("weir.yaml"), PLAIN);
      long changedBack = System.nanoTime();
      Answer back = awaitTrimmed(clients, false, changedBack);

      put(PLAIN + "routing: {score-jitter-ratio: 7}\nrooting: {}\n");
      awaitRefused();
      clients.next(5_000);
      clients.stop();

      assertThat(clients.failures()).isEmpty();
      for (Answer answer : clients.answers()) {
        boolean after = answer.startNanos() > first.endNanos() && answer.endNanos() < changedBack;
        boolean before = answer.endNanos() < changed || answer.startNanos() > back.endNanos();
        if (after) {
          assertThat(trimmed(answer)).as("what began after the change").isTrue();
        } else if (before) {
          assertThat(trimmed(answer)).as("what was by the other policy").isFalse();
        }
      }
      assertThat(begunBefore.join().statusCode()).isEqualTo(200);
      assertThat(begunBefore.join().body())
          .as("what began before the change ends as it began")
          .contains("\"_shards\"");
    }
    put(PLAIN);
    awaitMetric("weir_config_rejected 0.0");
    assertThat(gateway.admin().send("GET", "/readyz").body()).doesNotContain("rejected");
  }

  private static Answer awaitTrimmed(RequestLoad clients, boolean wanted, long since)
      throws InterruptedException {
    while (System.nanoTime() - since < LIVE_NANOS) {
      List<Answer> such =
          clients.answers().stream()
              .filter(answer -> answer.startNanos() > since && trimmed(answer) == wanted)
              .toList();
      if (!such.isEmpty()) {
        return such.stream()
            .min((one, other) -> Long.compare(one.endNanos(), other.endNanos()))
            .orElseThrow();
      }
      Thread.sleep(20);
    }
    throw new AssertionError("got no answer by the changed configuration (expected: in 20 s)");
  }

  private static void awaitRefused() throws Exception {
    awaitMetric("weir_config_rejected 1.0");
    RestReply ready = gateway.admin().send("GET", "/readyz");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body())
        .contains(
            "rejected_configuration", "routing.score-jitter-ratio", "did you mean 'routing'?");
  }

  private static void awaitMetric(String line) throws InterruptedException {
    long since = System.nanoTime();
    String metrics = "";
    while (System.nanoTime() - since < LIVE_NANOS) {
      metrics = gateway.admin().send("GET", "/metrics").body();
      if (metrics.contains("\n" + line)) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("got no \"" + line + "\" in:\n" + metrics);
  }
}
