package dev.weir.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Readers of an index that does not change, whose answers are all the same, and writers of another,
 * who remember what was acknowledged. All go through the gateway, and none tries again.
 */
final class VerifiedLoad implements AutoCloseable {
  private static final String FIXED = "/verified-fixed";
  private static final String WRITTEN = "/verified-written";
  private static final int DOCUMENTS = 600;
  private static final int DOCUMENTS_OF_A_BULK = 8;

  /** Each node has several, so that it can get the parts of a bulk for them together. */
  private static final int SHARDS = 9;

  private static final int READERS = 2;
  private static final int WRITERS = 2;

  /** Rounds of each reader and each writer that count as progress. */
  private static final int PROGRESS = 10;

  private static final String SEARCH =
      """
      {"size": 300, "track_total_hits": true, "sort": [{"n": "desc"}],
       "query": {"range": {"n": {"gte": %d}}},
       "aggs": {"groups": {"terms": {"field": "group", "size": 20, "order": {"_key": "asc"}},
         "aggs": {"sum": {"sum": {"field": "n"}}}}, "kinds": {"cardinality": {"field": "group"}}}}
      """;

  private final TestBed bed;
  private final RestClient node;
  private final List<String> expected = new ArrayList<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger writes = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> running = new ArrayList<>();

  private VerifiedLoad(TestBed bed, RestClient node) {
    this.bed = bed;
    this.node = node;
  }

  /**
   * Creates both indices and starts the load.
   *
   * @param reference a node that stays; it says what the answers are
   */
  static VerifiedLoad start(TestBed bed, DataNode reference) {
    VerifiedLoad load = new VerifiedLoad(bed, new RestClient(reference.httpUri()));
    load.create();
    for (int i = 0; i < READERS; i++) {
      load.running.add(load.threads.submit(load::read));
    }
    for (int i = 0; i < WRITERS; i++) {
      String writer = "w" + i;
      load.running.add(load.threads.submit(() -> load.write(writer)));
    }
    return load;
  }

  private void create() {
    for (String index : List.of(FIXED, WRITTEN)) {
      node.send(
              "PUT",
              index + "?wait_for_active_shards=all",
              """
              {"settings": {"number_of_shards": %d, "number_of_replicas": 1},
               "mappings": {"properties": {"n": {"type": "long"}, "group": {"type": "keyword"},
                 "key": {"type": "keyword"}, "text": {"type": "text", "index": false}}}}
              """
                  .formatted(SHARDS))
          .orThrow();
    }
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < DOCUMENTS; n++) {
      lines.append("{\"index\":{\"_id\":\"").append(n).append("\"}}\n");
      lines.append("{\"n\":").append(n).append(",\"group\":\"g").append(n % 17);
      lines.append("\",\"text\":\"").append("some words of text ".repeat(10)).append("\"}\n");
    }
    bulk(node, FIXED + "/_bulk?refresh=true", lines).orThrow();
    for (int from = 0; from < DOCUMENTS; from += DOCUMENTS / 4) {
      expected.add(answer(node.send("POST", FIXED + "/_search", SEARCH.formatted(from))));
    }
  }

  private static RestReply bulk(RestClient to, String path, StringBuilder lines) {
    return to.bulk(path, lines.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String answer(RestReply reply) {
    return reply.status() + " " + reply.body().replaceFirst("\"took\":\\d+", "");
  }

  private void read() {
    try (RestClient client = new RestClient(bed.uri())) {
      for (int i = 0; !over.get(); i++) {
        int which = i % expected.size();
        String search = SEARCH.formatted(which * DOCUMENTS / 4);
        String got = answer(client.send("POST", FIXED + "/_search", search));
        if (!got.equals(expected.get(which))) {
          wrong.add(got);
        }
        reads.incrementAndGet();
      }
    }
  }

  private void write(String writer) {
    try (RestClient client = new RestClient(bed.uri())) {
      for (int i = 0; !over.get(); i++) {
        StringBuilder lines = new StringBuilder();
        for (int n = 0; n < DOCUMENTS_OF_A_BULK; n++) {
          lines.append("{\"index\":{}}\n{\"key\":\"").append(key(writer, i, n));
          lines.append("\",\"text\":\"").append("some words of text ".repeat(20)).append("\"}\n");
        }
        remember(writer, i, bulk(client, WRITTEN + "/_bulk?timeout=5s", lines));
        writes.incrementAndGet();
      }
    }
  }

  private static String key(String writer, int bulk, int document) {
    return writer + "-" + bulk + "-" + document;
  }

  /** Remembers the documents of a bulk that were acknowledged. */
  private void remember(String writer, int bulk, RestReply reply) {
    if (reply.status() != 200) {
      return;
    }
    List<Map<String, Object>> items = JsonResponse.of(reply).objects("items");
    for (int n = 0; n < items.size(); n++) {
      if (items.get(n).get("index") instanceof Map<?, ?> item
          && Integer.valueOf(201).equals(item.get("status"))) {
        acknowledged.add(key(writer, bulk, n));
      }
    }
  }

  /** Waits until all have done some more. */
  void awaitProgress() {
    int readsBefore = reads.get();
    int writesBefore = writes.get();
    Await.untilValue(
        "reads and writes",
        () -> Math.min(reads.get() - readsBefore, writes.get() - writesBefore),
        more -> more >= PROGRESS || over.get());
  }

  /** Ends the load; fails if one of its threads did. */
  void stop() throws Exception {
    over.set(true);
    for (Future<?> each : running) {
      each.get();
    }
  }

  /** Checks that all answers were right, and finds each acknowledged document exactly once. */
  void verify() {
    assertThat(wrong).as("of %s reads", reads).isEmpty();
    node.send("POST", WRITTEN + "/_refresh").orThrow();
    Map<String, Long> found = new TreeMap<>();
    JsonResponse.of(
            node.send(
                    "POST",
                    WRITTEN + "/_search",
                    "{\"size\":0,\"aggs\":{\"keys\":{\"terms\":{\"field\":\"key\",\"size\":60000}}}}")
                .orThrow())
        .objects("aggregations.keys.buckets")
        .forEach(bucket ->
            found.put(
                String.valueOf(bucket.get("key")),
                Long.valueOf(String.valueOf(bucket.get("doc_count")))));
    assertThat(acknowledged).hasSizeGreaterThan(PROGRESS * DOCUMENTS_OF_A_BULK);
    assertThat(found.keySet()).as("acknowledged").containsAll(acknowledged);
    assertThat(found.values()).as("copies of each document").containsOnly(1L);
    for (String index : List.of(FIXED, WRITTEN)) {
      node.send("DELETE", index).orThrow();
    }
  }

  @Override
  public void close() {
    over.set(true);
    threads.close();
    node.close();
  }
}
