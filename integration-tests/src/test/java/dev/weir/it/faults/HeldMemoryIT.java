package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The memory charged to requests matches the heap that they take, with the default heap of users,
 * and memory outside the heap stays within its bound.
 */
@Drawn(oneIn = 3)
class HeldMemoryIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "held-memory";
  private static final int DOCUMENTS = 50;
  private static final int DOCUMENT_BYTES = 100_000;
  private static final long ANSWER_BYTES = (long) DOCUMENTS * DOCUMENT_BYTES;
  private static final int READERS = 4;
  private static final int SENDERS = 3;
  private static final int BODY_BYTES = 6_000_000;

  /** The most bytes that wait for a client's socket. */
  private static final long WRITTEN_BYTES = 256 << 10;

  /** The size of Netty's allocations. */
  private static final long CHUNK_BYTES = 4 << 20;

  /** Two collections in a row leave the same, but for this much. */
  private static final long SETTLED_BYTES = 256 << 10;

  private static final String JSON = "application/json";

  private final Random random = TestSeed.random(HeldMemoryIT.class);
  private final URI rest = URI.create("http://127.0.0.1:" + Ports.findFree(random));
  private final RestClient admin =
      new RestClient(URI.create("http://127.0.0.1:" + Ports.findFree(random)));

  @BeforeAll
  static void load() {
    // frames smaller than half a heap region, because larger ones take whole regions
    String settings = "{\"settings\":{\"number_of_shards\":6,\"number_of_replicas\":0}}";
    NODES.rest().send("PUT", "/" + INDEX, settings).orThrow();
    String lines = document().repeat(DOCUMENTS);
    NODES.rest().bulk("/" + INDEX + "/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
  }

  private static String document() {
    return "{\"index\":{}}\n{\"text\":\"" + "t".repeat(DOCUMENT_BYTES) + "\"}\n";
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  @Test
  void matchTheHeapWithTheCharges(@TempDir Path folder) throws Exception {
    List<RawConnection> clients = new ArrayList<>();
    try (GatewayChildProcess gateway =
            RequestMemoryIT.start(folder, rest.getPort(), admin.base().getPort());
        admin) {
      gateway.awaitReady(admin.base());
      warmUp();
      long heap = settledHeap(gateway);
      long direct = direct();

      for (int i = 1; i <= READERS; i++) {
        clients.add(
            new RawConnection(rest)
                .send("GET", "/" + INDEX + "/_search?size=" + DOCUMENTS, JSON, ""));
        long written = i * ANSWER_BYTES;
        Await.untilValue(
            "answers", () -> stats("in_flight.request_memory_bytes"), now -> now >= written);
      }
      assertAgree("answers that nobody reads", gateway, heap);

      String body = document().repeat(BODY_BYTES / DOCUMENT_BYTES);
      String head = RawConnection.head("POST", "/" + INDEX + "/_bulk", JSON, body, "");
      for (int i = 0; i < SENDERS; i++) {
        clients.add(new RawConnection(rest).send(head + body.substring(1)));
      }
      long sent = (long) SENDERS * BODY_BYTES;
      Await.untilValue("bodies", () -> stats("request_memory.held_bytes.body"), now -> now >= sent);
      assertAgree("and bodies that do not end", gateway, heap);
      assertThat(direct() - direct)
          .as("direct memory, besides what Netty keeps for reuse")
          .isLessThanOrEqualTo(clients.size() * WRITTEN_BYTES + CHUNK_BYTES);

      for (RawConnection client : clients) {
        client.close();
      }
      Await.untilValue(
          "bytes held", () -> stats("in_flight.request_memory_bytes"), now -> now == 0);
      Await.untilValue(
          "bytes of heap that are kept, of " + heap + " before",
          () -> liveHeap(gateway) - heap,
          kept -> kept < stats("memory.heap_max_bytes") / 10);
    } finally {
      for (RawConnection client : clients) {
        client.close();
      }
    }
  }

  private void warmUp() {
    try (RestClient client = new RestClient(rest)) {
      client.send("GET", "/" + INDEX + "/_search?size=2").orThrow();
      client.bulk("/" + INDEX + "/_bulk", document().getBytes(UTF_8)).orThrow();
    }
  }

  /** Some heap is used beyond the charges: 150 KB for each request, and one-time initialization. */
  private void assertAgree(String what, GatewayChildProcess gateway, long before) {
    Await.untilValue(
        what + ": bytes of heap, and bytes charged",
        () -> new Held(liveHeap(gateway) - before, stats("in_flight.request_memory_bytes")),
        held -> held.heap() > 0.8 * held.charged() && held.heap() < 1.5 * held.charged());
  }

  private record Held(long heap, long charged) {}

  /** What lives without requests, once the first ones and the start have left nothing behind. */
  private long settledHeap(GatewayChildProcess gateway) {
    AtomicLong last = new AtomicLong(liveHeap(gateway));
    Await.untilValue(
        "bytes by which the heap differs from the collection before",
        () -> {
          long before = last.get();
          last.set(liveHeap(gateway));
          return Math.abs(last.get() - before);
        },
        difference -> difference < SETTLED_BYTES);
    return last.get();
  }

  private long liveHeap(GatewayChildProcess gateway) {
    collect(gateway);
    return stats("memory.heap_used_bytes");
  }

  private long direct() {
    String row = "jvm_buffer_memory_used_bytes{id=\"direct\"} ";
    return admin
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith(row))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(row.length())))
        .findFirst()
        .orElseThrow();
  }

  private static void collect(GatewayChildProcess gateway) {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      Process process =
          new ProcessBuilder(jcmd.toString(), Long.toString(gateway.pid()), "GC.run")
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private long stats(String field) {
    return JsonResponse.of(admin.send("GET", "/stats").orThrow()).number(field);
  }
}
