package dev.weir.it.operations;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that search, read documents and write documents with ids, and record each failure. They
 * never repeat a request.
 */
final class MixedLoad implements AutoCloseable {
  private static final int ITEMS = 5;
  private static final long PAUSE_NANOS = 5_000_000;

  private final TestBed bed;
  private final String index;
  private final int documents;
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
  private final LongAdder requests = new LongAdder();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * Starts clients of an index.
   *
   * @param documents that it has, {@code base-0} and so on
   */
  MixedLoad(TestBed bed, String index, int documents) {
    this.bed = bed;
    this.index = index;
    this.documents = documents;
    for (int i = 0; i < 2; i++) {
      int client = i;
      clients.add(start(round -> search()));
      clients.add(start(round -> get(round)));
      clients.add(start(round -> write(client, round)));
    }
  }

  private interface Client {
    void send(int round);
  }

  private Thread start(Client client) {
    return Thread.ofVirtual()
        .start(() -> {
          for (int round = 0; !stopped; round++) {
            try {
              client.send(round);
            } catch (RuntimeException e) {
              failures.add(e + " caused by " + e.getCause());
            }
            requests.increment();
            LockSupport.parkNanos(PAUSE_NANOS);
          }
        });
  }

  private void search() {
    RestReply reply =
        bed.rest().send("GET", "/" + index + "/_search?size=0&track_total_hits=true&q=_id:base-1");
    if (reply.status() != 200
        || JsonResponse.of(reply).number("_shards.failed") > 0
        || JsonResponse.of(reply).number("hits.total.value") != 1) {
      failures.add("search: " + reply);
    }
  }

  private void get(int round) {
    RestReply reply = bed.rest().send("GET", "/" + index + "/_doc/base-" + round % documents);
    if (reply.status() != 200) {
      failures.add("get: " + reply);
    }
  }

  private void write(int client, int round) {
    StringBuilder lines = new StringBuilder();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      String id = "w" + client + "-" + round + "-" + i;
      ids.add(id);
      lines.append("{\"index\":{\"_id\":\"").append(id).append("\"}}\n{\"n\":1}\n");
    }
    RestReply reply = bed.rest().bulk("/" + index + "/_bulk", lines.toString().getBytes(UTF_8));
    if (reply.status() != 200 || !Boolean.FALSE.equals(JsonResponse.of(reply).at("errors"))) {
      failures.add("bulk: " + reply);
    } else {
      acknowledged.addAll(ids);
    }
  }

  /** Waits for this many more requests. */
  void awaitMore(int count) {
    long before = requests.sum();
    Await.untilValue("requests", requests::sum, now -> now >= before + count);
  }

  /** Stops, and waits for requests in flight. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread client : clients) {
      client.join();
    }
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** The ids of written documents. */
  List<String> acknowledged() {
    return List.copyOf(acknowledged);
  }

  long requests() {
    return requests.sum();
  }

  @Override
  public void close() {
    stopped = true;
  }
}
