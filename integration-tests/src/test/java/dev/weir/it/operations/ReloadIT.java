package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.it.operations.RequestLoad.Answer;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration that changes while 32 clients search. */
class ReloadIT {
  private static final String INDEX = "reload";
  private static final int CLIENTS = 32;

  private static final String TRIMMED =
      """
      responses:
        trimming:
          profiles: {lean: {drop: [shards]}}
          rules: [{profile: lean, user-agents: ["load/*"]}]
      """;

  /**
   * Has the only copy of {@code FROZEN_INDEX}: while it is frozen no search of that index is
   * answered.
   */
  private static final DataNode FROZEN = SharedCluster.get().node(2);

  private static final String FROZEN_INDEX = "reload-frozen";

  @TempDir private static Path folder;

  private static final int PORT = OperatedGateway.freePort();
  private static final int ADMIN = OperatedGateway.freePort();

  /** Requests wait for as long as a busy machine needs: none is refused. */
  private static final String PLAIN =
      OperatedGateway.sections("listen: \"127.0.0.1:" + PORT + "\"", ADMIN)
          + "admission: {queue: {max-wait: 60s}}\n";

  private static OperatedGateway gateway;
  private static int versions;

  @BeforeAll
  static void start() throws Exception {
    create(INDEX, SharedCluster.get().node(1));
    create(FROZEN_INDEX, FROZEN);
    put(PLAIN);
    Path config =
        Files.createSymbolicLink(folder.resolve("weir.yaml"), Path.of("..data", "weir.yaml"));
    gateway = OperatedGateway.start(config, ADMIN).awaitReady();
  }

  private static void create(String index, DataNode on) {
    String settings =
        "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0,"
            + "\"index.routing.allocation.require._name\":\"%s\"}}";
    RestClient rest = SharedCluster.get().rest();
    rest.send("PUT", "/" + index, settings.formatted(on.name())).orThrow();
    rest.send("PUT", "/" + index + "/_doc/1?refresh=true", "{\"n\":1}").orThrow();
  }

  @AfterAll
  static void close() {
    gateway.close();
    SharedCluster.get().rest().send("DELETE", "/" + INDEX + "," + FROZEN_INDEX);
  }

  /** Replaces a configuration as Kubernetes does: another folder behind the same link. */
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
  void applyChangeWithoutFailedRequest() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      FROZEN.freeze();
      CompletableFuture<HttpResponse<String>> sentBefore =
          http.sendAsync(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:" + PORT + "/" + FROZEN_INDEX + "/_search"))
                  .header("User-Agent", "load/frozen")
                  .build(),
              BodyHandlers.ofString());
      Await.untilValue(
          "searches sent to the frozen node", ReloadIT::sentToFrozen, sent -> sent == 1);
      changeUnderLoad(sentBefore);
    } finally {
      FROZEN.resume();
    }
    put(PLAIN);
    awaitMetric("weir_config_rejected 0.0");
    assertThat(gateway.admin().send("GET", "/readyz").body()).doesNotContain("rejected");
  }

  private static long sentToFrozen() {
    return JsonResponse.of(gateway.admin().send("GET", "/stats").orThrow())
        .objects("queues.search.nodes")
        .stream()
        .filter(node -> FROZEN.name().equals(node.get("name")))
        .mapToLong(node -> Long.parseLong(String.valueOf(node.get("in_flight"))))
        .sum();
  }

  private static void changeUnderLoad(CompletableFuture<HttpResponse<String>> sentBefore)
      throws Exception {
    try (RequestLoad clients = new RequestLoad(PORT, "/" + INDEX + "/_search?q=n:1", CLIENTS, 5)) {
      clients.awaitNext();
      long changed = put(PLAIN + TRIMMED);
      Answer first = awaitTrimmed(clients, true, changed);
      assertThat(sentBefore).as("the search of the frozen node").isNotDone();

      Files.writeString(folder.resolve("..data").resolve("weir.yaml"), PLAIN);
      long changedBack = System.nanoTime();
      Answer back = awaitTrimmed(clients, false, changedBack);

      put(PLAIN + "routing: {score-jitter-ratio: 7}\nrooting: {}\n");
      awaitRejected();
      clients.awaitNext();
      clients.stop();

      assertThat(clients.failures()).isEmpty();
      for (Answer answer : clients.answers()) {
        boolean after = answer.startNanos() > first.endNanos() && answer.endNanos() < changedBack;
        boolean before = answer.endNanos() < changed || answer.startNanos() > back.endNanos();
        if (after) {
          assertThat(trimmed(answer)).as("a request after the change").isTrue();
        } else if (before) {
          assertThat(trimmed(answer)).as("a request before the change").isFalse();
        }
      }
      FROZEN.resume();
      assertThat(sentBefore.join().statusCode()).isEqualTo(200);
      assertThat(sentBefore.join().body())
          .as("a request keeps the policy that it began with")
          .contains("\"_shards\"");
    }
  }

  /** Returns the first response under the trimming policy, or under the other one. */
  private static Answer awaitTrimmed(RequestLoad clients, boolean trims, long since) {
    return Await.untilValue(
            "an answer by the changed configuration",
            () ->
                clients.answers().stream()
                    .filter(answer -> answer.startNanos() > since && trimmed(answer) == trims)
                    .toList(),
            answers -> !answers.isEmpty())
        .stream()
        .min((one, other) -> Long.compare(one.endNanos(), other.endNanos()))
        .orElseThrow();
  }

  private static void awaitRejected() {
    awaitMetric("weir_config_rejected 1.0");
    RestReply ready = gateway.admin().send("GET", "/readyz");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body())
        .contains(
            "rejected_configuration", "routing.score-jitter-ratio", "did you mean 'routing'?");
  }

  private static void awaitMetric(String line) {
    Await.untilValue(
        "metrics with " + line,
        () -> gateway.admin().send("GET", "/metrics").body(),
        metrics -> metrics.contains("\n" + line));
  }
}
