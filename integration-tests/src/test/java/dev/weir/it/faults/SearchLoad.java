package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that repeat one search and record every incomplete response. */
final class SearchLoad {
  private static final int SEARCHERS = 4;
  private static final String BODY =
      "{\"size\": 3, \"sort\": [\"n\"], \"aggs\": {\"most\": {\"max\": {\"field\": \"n\"}}}}";

  private final TestBed bed;
  private final String index;
  private final long documents;
  private final AtomicInteger answered = new AtomicInteger();
  private final Queue<RestReply> lessThanWhole = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();
  private final List<Thread> searchers = new ArrayList<>();
  private volatile boolean stopping;

  private SearchLoad(TestBed bed, String index, long documents) {
    this.bed = bed;
    this.index = index;
    this.documents = documents;
  }

  /** Starts to search an index of documents whose {@code n} counts from 0. */
  static SearchLoad start(TestBed bed, String index, long documents) {
    SearchLoad load = new SearchLoad(bed, index, documents);
    for (int i = 0; i < SEARCHERS; i++) {
      load.searchers.add(Thread.ofVirtual().start(load::search));
    }
    return load;
  }

  private void search() {
    try {
      while (!stopping) {
        RestReply reply = bed.rest().send("POST", "/" + index + "/_search", BODY);
        if (!isWhole(reply, documents)) {
          lessThanWhole.add(reply);
        }
        answered.incrementAndGet();
      }
    } catch (RuntimeException | AssertionError e) {
      troubles.add(e);
    }
  }

  /**
   * Returns whether all documents were found on all shards; fails if a complete response is wrong.
   */
  private static boolean isWhole(RestReply reply, long documents) {
    if (reply.status() != 200) {
      return false;
    }
    JsonResponse json = JsonResponse.of(reply);
    if (json.number("_shards.failed") > 0) {
      return false;
    }
    assertThat(json.number("_shards.successful")).isEqualTo(json.number("_shards.total"));
    assertThat(json.number("hits.total.value")).as("total of %s", reply).isEqualTo(documents);
    assertThat(json.number("aggregations.most.value")).as("%s", reply).isEqualTo(documents - 1);
    assertThat(json.objects("hits.hits")).as("hits of %s", reply).hasSize(3);
    return true;
  }

  /** Waits for this many more responses. */
  void awaitMore(int searches) {
    int before = answered.get();
    Await.untilValue(
        "answered searches, with troubles " + troubles,
        answered::get,
        now -> now >= before + searches || !troubles.isEmpty());
  }

  /** Stops the searches and returns the incomplete responses. */
  List<RestReply> stop() throws InterruptedException {
    stopping = true;
    for (Thread searcher : searchers) {
      searcher.join();
    }
    assertThat(troubles).isEmpty();
    return List.copyOf(lessThanWhole);
  }
}
