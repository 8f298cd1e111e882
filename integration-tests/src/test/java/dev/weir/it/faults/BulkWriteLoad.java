package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Clients that send bulks of documents with generated ids and unique numbers {@code n}, and record
 * the responses.
 */
final class BulkWriteLoad {
  private static final int WRITERS = 3;
  private static final int ITEMS = 10;
  private static final int LAST_SUCCESS = 299;
  private static final long PAUSE_NANOS = 10_000_000;

  private final TestBed bed;
  private final String index;
  private final Kind kind;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, Written> acknowledgedWrites = new ConcurrentHashMap<>();
  private final Queue<Map<String, Object>> failedItems = new ConcurrentLinkedQueue<>();
  private final Queue<RestReply> failedBulks = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopping;

  /** What a client knows about a written document. */
  record Written(String id, long seqNo, long version) {}

  /**
   * The form of the documents.
   *
   * @param action of each item
   * @param fields besides the number, with a comma after them
   */
  record Kind(String action, String fields) {
    static final Kind PLAIN = new Kind("index", "");

    /** Makes a bulk 120 KB long. */
    static final Kind LARGE = new Kind("index", "\"text\":\"" + "large ".repeat(2000) + "\",");

    /** The form that a data stream accepts. */
    static final Kind APPENDED = new Kind("create", "\"@timestamp\":\"2026-11-21T00:00:00Z\",");
  }

  private BulkWriteLoad(TestBed bed, String index, Kind kind) {
    this.bed = bed;
    this.index = index;
    this.kind = kind;
  }

  static BulkWriteLoad start(TestBed bed, String index) {
    return start(bed, index, Kind.PLAIN);
  }

  static BulkWriteLoad start(TestBed bed, String index, Kind kind) {
    BulkWriteLoad load = new BulkWriteLoad(bed, index, kind);
    for (int i = 0; i < WRITERS; i++) {
      load.writers.add(Thread.ofVirtual().start(load::write));
    }
    return load;
  }

  private void write() {
    try {
      while (!stopping) {
        long first = numbers.getAndAdd(ITEMS);
        read(first, bed.rest().bulk("/" + index + "/_bulk", body(first)));
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (RuntimeException | AssertionError e) {
      troubles.add(e);
    }
  }

  private byte[] body(long first) {
    return LongStream.range(first, first + ITEMS)
        .mapToObj(n -> "{\"" + kind.action + "\":{}}\n{" + kind.fields + "\"n\":" + n + "}\n")
        .collect(Collectors.joining())
        .getBytes(UTF_8);
  }

  @SuppressWarnings("unchecked")
  private void read(long first, RestReply reply) {
    if (reply.status() > LAST_SUCCESS) {
      failedBulks.add(reply);
      return;
    }
    JsonResponse json = JsonResponse.of(reply);
    List<Map<String, Object>> items = json.objects("items");
    assertThat(items).as("items of %s", reply).hasSize(ITEMS);
    boolean errors = false;
    for (int i = 0; i < ITEMS; i++) {
      Map<String, Object> item =
          (Map<String, Object>) Objects.requireNonNull(items.get(i).get(kind.action));
      JsonResponse told = new JsonResponse(200, item);
      if (told.number("status") > LAST_SUCCESS) {
        failedItems.add(item);
        errors = true;
      } else {
        acknowledgedWrites.put(
            first + i,
            new Written(told.text("_id"), told.number("_seq_no"), told.number("_version")));
      }
    }
    assertThat(json.at("errors")).as("errors of %s", reply).isEqualTo(errors);
  }

  /** Waits until this many more documents are acknowledged. */
  void awaitMore(int documents) {
    int before = acknowledgedWrites.size();
    Await.untilValue(
        "acknowledged documents, with troubles " + troubles,
        acknowledgedWrites::size,
        size -> size >= before + documents || !troubles.isEmpty());
  }

  void stop() throws InterruptedException {
    stopping = true;
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(troubles).isEmpty();
  }

  /** Returns the acknowledged documents by number. */
  Map<Long, Written> acknowledgedWrites() {
    return Map.copyOf(acknowledgedWrites);
  }

  /** Refreshes and returns all documents by number; asserts that each number exists once. */
  Map<Long, Written> readDocuments(RestClient nodes) {
    nodes.send("POST", "/" + index + "/_refresh").orThrow();
    Map<Long, Written> found = new HashMap<>();
    String after = "";
    while (true) {
      String body =
          "{\"size\": 2000, \"_source\": [\"n\"], \"sort\": [\"n\", \"_seq_no\"], \"version\": true, \"seq_no_primary_term\": true %s}"
              .formatted(after);
      List<Map<String, Object>> hits =
          JsonResponse.of(nodes.send("POST", "/" + index + "/_search", body).orThrow())
              .objects("hits.hits");
      if (hits.isEmpty()) {
        return found;
      }
      for (Map<String, Object> hit : hits) {
        JsonResponse each = new JsonResponse(200, hit);
        long n = each.number("_source.n");
        Written document =
            new Written(each.text("_id"), each.number("_seq_no"), each.number("_version"));
        assertThat(found.put(n, document)).as("another document with n = %s", n).isNull();
      }
      after = ", \"search_after\": " + hits.getLast().get("sort");
    }
  }

  /** Returns the items with an error. */
  List<Map<String, Object>> failedItems() {
    return List.copyOf(failedItems);
  }

  /** Returns the bulks that failed as a whole. */
  List<RestReply> failedBulks() {
    return List.copyOf(failedBulks);
  }
}
