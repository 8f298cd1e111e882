package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Clients that repeat one search, each of which must get the hits that a node returns. */
final class RepeatedSearch {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int RETRY_MILLIS = 50;

  private final RestClient gateway;
  private final String path;
  private final String body;
  private final List<Map<String, Object>> expectedHits;
  private final long expectedTotal;
  private final AtomicIntegerArray answered;
  private final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean stopping;

  private RepeatedSearch(
      RestClient gateway, String path, String body, JsonResponse expected, int clients) {
    this.gateway = gateway;
    this.path = path;
    this.body = body;
    this.expectedHits = expected.objects("hits.hits");
    this.expectedTotal = expected.number("hits.total.value");
    this.answered = new AtomicIntegerArray(clients);
  }

  /**
   * Starts the clients.
   *
   * @param expected the response of a node
   */
  static RepeatedSearch start(
      RestClient gateway, String path, String body, JsonResponse expected, int clients) {
    RepeatedSearch search = new RepeatedSearch(gateway, path, body, expected, clients);
    for (int client = 0; client < clients; client++) {
      int number = client;
      search.clients.add(Thread.ofVirtual().start(() -> search.repeat(number)));
    }
    return search;
  }

  private void repeat(int client) {
    try {
      while (!stopping) {
        RestReply reply = gateway.send("POST", path, body);
        if (reply.status() == TOO_MANY_REQUESTS) { // fewer nodes carry the load of all clients
          Thread.sleep(RETRY_MILLIS);
          continue;
        }
        JsonResponse answer = JsonResponse.of(reply.orThrow());
        assertThat(answer.number("_shards.failed")).as("%s", reply).isZero();
        assertThat(answer.number("hits.total.value")).isEqualTo(expectedTotal);
        assertThat(answer.objects("hits.hits")).isEqualTo(expectedHits);
        answered.incrementAndGet(client);
      }
    } catch (RuntimeException | InterruptedException | AssertionError e) {
      troubles.add(e);
    }
  }

  /** Waits until every client has this many more responses. */
  void awaitMoreOfEach(int searches) {
    int[] before = counts();
    Await.untilValue(
        "every client goes on",
        this::counts,
        now -> !troubles.isEmpty() || haveMore(before, now, searches));
    assertThat(troubles).isEmpty();
  }

  private static boolean haveMore(int[] before, int[] now, int searches) {
    for (int client = 0; client < now.length; client++) {
      if (now[client] < before[client] + searches) {
        return false;
      }
    }
    return true;
  }

  private int[] counts() {
    int[] counts = new int[answered.length()];
    for (int client = 0; client < counts.length; client++) {
      counts[client] = answered.get(client);
    }
    return counts;
  }

  /** Stops the clients. */
  void stop() throws InterruptedException {
    stopping = true;
    for (Thread client : clients) {
      client.join();
    }
    assertThat(troubles).isEmpty();
  }
}
