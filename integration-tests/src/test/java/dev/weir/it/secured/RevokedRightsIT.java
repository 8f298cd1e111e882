package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Rights that are taken away while requests run. The bound is about when a request begins, so a
 * slow machine does not miss it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 3)
class RevokedRightsIT {
  private static final long BOUND_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long OBSERVED_NANOS = Duration.ofSeconds(3).toNanos();
  private static final long CACHE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long REFUSAL_NANOS = Duration.ofMinutes(1).toNanos();
  private static final String USER_CACHE = "/_plugins/_security/api/cache";
  private static final String USERS = "/_plugins/_security/api/internalusers/";
  private static final String USER = "temporary-user";
  private static final String PASSWORD = "kestrel-41-lamp-Q";
  private static final byte[] BULK =
      "{\"index\":{\"_index\":\"orders-revoked\",\"_id\":\"1\"}}\n{\"order\":\"R\"}\n"
          .getBytes(StandardCharsets.UTF_8);

  private final SecuredCluster cluster = SharedSecuredCluster.get();
  private final AuthorizingGateway gateway = new AuthorizingGateway(cluster, "");

  /** A request's start, and the status of its response. */
  private record Sample(long startNanos, int status) {}

  /** What clients do. */
  @FunctionalInterface
  private interface Sender {
    RestReply send(RestClient client);
  }

  @AfterAll
  void close() {
    gateway.close();
    cluster.nodes().rest().send("DELETE", USERS + USER);
    cluster.nodes().rest().send("DELETE", "/orders-revoked?ignore_unavailable=true");
  }

  @Test
  void refuseSearchesWithoutTheRole() {
    setUser(PASSWORD, "orders_reader");
    assertRefusedInTime(
        client -> client.send("GET", "/orders-*/_search"), () -> setUser(PASSWORD, ""), 403);
  }

  @Test
  void refuseBulksWithoutTheRole() {
    setUser(PASSWORD, "indexer");
    assertRefusedInTime(client -> client.bulk("/_bulk", BULK), () -> setUser(PASSWORD, ""), 403);
  }

  @Test
  void refuseTheOldPassword() {
    setUser(PASSWORD, "orders_reader");
    assertRefusedInTime(
        client -> client.send("GET", "/orders-*/_search"),
        () -> setUser("walnut-77-river-Z", "orders_reader"),
        401);
  }

  private void setUser(String password, String role) {
    String roles = role.isEmpty() ? "" : '"' + role + '"';
    cluster
        .nodes()
        .rest()
        .send(
            "PUT",
            USERS + USER,
            "{\"password\": \"%s\", \"opendistro_security_roles\": [%s]}"
                .formatted(password, roles))
        .orThrow();
  }

  private void assertRefusedInTime(Sender sender, Runnable revoke, int refusal) {
    RestAccess access = cluster.credentials().password(USER, PASSWORD);
    Queue<Sample> samples = new ConcurrentLinkedQueue<>();
    AtomicBoolean done = new AtomicBoolean();
    long before = gateway.authorized();
    List<Thread> load =
        List.of(startLoad(sender, access, samples, done), startLoad(sender, access, samples, done));
    long refusedAtNanos;
    try (RestClient node = cluster.client(access)) {
      assertThat(sender.send(node).status()).isEqualTo(200);
      long start = System.nanoTime();
      while (gateway.authorized() - before < 20 && System.nanoTime() - start < 60_000_000_000L) {
        Thread.onSpinWait();
      }
      revoke.run();
      awaitRefusal(sender, access, refusal);
      refusedAtNanos = System.nanoTime();
      while (System.nanoTime() - refusedAtNanos < OBSERVED_NANOS) {
        sender.send(node);
      }
    } finally {
      done.set(true);
      load.forEach(RevokedRightsIT::join);
    }
    assertThat(gateway.authorized() - before).as("coordinated requests").isGreaterThan(20);
    assertThat(samples.stream().map(Sample::status)).contains(200, refusal);
    assertThat(
            samples.stream()
                .filter(sample -> sample.startNanos > refusedAtNanos + BOUND_NANOS)
                .map(Sample::status))
        .isNotEmpty()
        .containsOnly(refusal);
  }

  /**
   * Returns when each node refuses. A login that is under way when a node empties its cache of
   * users may put the old user back, for an hour: then the caches are emptied again.
   */
  private void awaitRefusal(Sender sender, RestAccess access, int refusal) {
    long start = System.nanoTime();
    long emptied = start;
    for (DataNode node : cluster.nodes().nodes()) {
      try (RestClient client = new RestClient(node.httpUri(), access)) {
        while (sender.send(client).status() != refusal) {
          long now = System.nanoTime();
          assertThat(now - start).as("wait until " + node + " refuses").isLessThan(REFUSAL_NANOS);
          if (now - emptied > CACHE_NANOS) {
            cluster.nodes().rest().send("DELETE", USER_CACHE).orThrow();
            emptied = now;
          }
        }
      }
    }
  }

  private Thread startLoad(
      Sender sender, RestAccess access, Queue<Sample> samples, AtomicBoolean done) {
    return Thread.startVirtualThread(() -> {
      try (RestClient client = gateway.client(access)) {
        while (!done.get()) {
          long start = System.nanoTime();
          samples.add(new Sample(start, sender.send(client).status()));
        }
      }
    });
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
