package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that set a deadline, that leave early, or that send the same search at the same time. */
@Drawn(oneIn = 3)
class WaitingClientsIT {
  private static final String JSON = "application/json";
  private static final String INDEX = "waiting-clients";
  private static final String ELSEWHERE = "waiting-elsewhere";
  private static final String NOWHERE = "waiting-nowhere";
  private static final int SEGMENTS = 40;

  /** Takes long for each document. A node checks for cancellation between segments. */
  private static final String SLOW =
      "double turn(double x) { double s = x; for (int i = 0; i < 500000; i++) { s = Math.sin(s + i)"
          + " } return s } double all = 0; for (int i = 0; i < 40; i++) { all += turn(%s + i) } ";

  private static final String SLOW_QUERY =
      "{\"query\":{\"script\":{\"script\":{\"source\":\""
          + SLOW.formatted("doc['n'].value")
          + " return all < 1e300\"}}}}";

  private static final DataNodeCluster NODES = SharedCluster.get();

  /** Has the only copy of the index: while it is frozen no search of the index is answered. */
  private static final DataNode HOLDER = NODES.node(2);

  private static TestBed bed;

  @BeforeAll
  static void start() {
    // without partial results, because shards would answer just before the deadline with what they
    // found
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "admission: {deadline: {allow-partial-results: false},"
                + " coalescing: {indices: ['waiting-*'], max-age: 1m}}");
    create(
        INDEX,
        allocatedTo(HOLDER.name())
            + ", \"merge.policy.segments_per_tier\": 100, \"merge.policy.max_merge_at_once\": 100");
    for (int n = 0; n < SEGMENTS; n++) {
      NODES
          .rest()
          .bulk(
              "/" + INDEX + "/_bulk?refresh=true",
              ("{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + "}\n").getBytes(UTF_8))
          .orThrow();
    }
    create(ELSEWHERE, allocatedTo(NODES.node(1).name()));
    NODES.rest().send("PUT", "/" + ELSEWHERE + "/_doc/1?refresh=true", "{\"n\":1}").orThrow();
  }

  private static String allocatedTo(String node) {
    return "\"routing.allocation.require._name\": \"" + node + '"';
  }

  private static void create(String index, String settings) {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + index + "?wait_for_active_shards=0",
            "{\"settings\": {\"number_of_shards\": 1, \"number_of_replicas\": 0, "
                + settings
                + "}, \"mappings\": {\"properties\": {\"n\": {\"type\": \"long\"}}}}")
        .orThrow();
  }

  @AfterAll
  static void end() {
    bed.close();
    NODES.rest().send("DELETE", "/" + INDEX + "," + ELSEWHERE).orThrow();
  }

  @AfterEach
  void leavesNothing() {
    LeakChecks.assertNone(bed, NODES);
    Await.untilValue("no ban to remove", () -> stats("pending_ban_removals"), left -> left == 0);
    assertThat(stats("ban_removal_failures")).isZero();
  }

  private static long stats(String field) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow())
        .number("deadlines." + field);
  }

  private static JsonResponse send(
      String timeout, String method, String target, String type, String body) throws IOException {
    try (RawConnection wire = new RawConnection(bed.uri())) {
      return wire.send(method, target, type, body, "X-Weir-Timeout: " + timeout + "\r\n")
          .readResponse();
    }
  }

  @Test
  void refusesATimeThatItCannotRead() throws IOException {
    JsonResponse refused = send("soon", "POST", "/" + INDEX + "/_search", JSON, "{}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.reasonOfError()).contains("got [soon] in header X-Weir-Timeout");
  }

  @Test
  void answerCheapRequestsInTime() throws IOException {
    JsonResponse answer = send("5m", "POST", "/" + INDEX + "/_search", JSON, "{\"size\": 3}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("timed_out")).isEqualTo(false);
    assertThat(answer.number("hits.total.value")).isEqualTo(SEGMENTS);
  }

  /** On a slow machine the deadline may pass before the search is sent; then it gets more time. */
  @Test
  void stopsASearchOnTheNodesAtItsDeadline() {
    long removed = stats("ban_removals");
    AtomicLong millis = new AtomicLong(2000);
    Await.untilValue(
        "a ban that was set at a deadline and removed",
        () -> {
          assertRejectedAtDeadline(millis.getAndUpdate(now -> now * 2));
          Await.untilValue(
              "no search on the nodes", () -> LeakChecks.runningSearches(NODES), String::isEmpty);
          Await.untilValue(
              "no ban to remove", () -> stats("pending_ban_removals"), left -> left == 0);
          return stats("ban_removals");
        },
        now -> now > removed);
  }

  private static void assertRejectedAtDeadline(long millis) {
    long passed = stats("exceeded");
    String target = "/" + INDEX + "/_search?request_cache=false";
    try {
      JsonResponse late = send(millis + "ms", "POST", target, JSON, SLOW_QUERY);
      assertThat(late.status()).isEqualTo(408);
      assertThat(late.text("error.type")).isEqualTo("deadline_exceeded_exception");
      assertThat(late.reasonOfError()).contains("[" + millis + "ms]", "[header X-Weir-Timeout]");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(stats("exceeded")).isEqualTo(passed + 1);
  }

  @Test
  void stopsASearchOnTheNodesWhenItsClientLeaves() throws IOException {
    long removed = stats("ban_removals");
    try (RawConnection wire = new RawConnection(bed.uri())) {
      wire.send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, SLOW_QUERY);
      Await.untilValue(
          "the running search", () -> LeakChecks.runningSearches(NODES), found -> !found.isEmpty());
    }
    Await.untilValue("a ban removed", () -> stats("ban_removals"), now -> now > removed);
  }

  /** Finds the first half at once, and takes long for the others. */
  private static final String QUICK_THEN_SLOW =
      SLOW_QUERY
          .replace("double all", "if (doc['n'].value < 20) { return true } double all")
          .replace("< 40;", "< 6;");

  @Test
  void answerWithPartialResultsShortlyBeforeTheDeadline() {
    try (TestBed partial = TestBed.inFrontOf(NODES.seeds())) {
      JsonResponse found = late(partial);
      assertThat(found.status()).as("%s", found).isEqualTo(200);
      assertThat(found.number("hits.total.value")).isBetween(10L, (long) SEGMENTS);
      assertThat(found.objects("hits.hits")).hasSize(10);
      LeakChecks.assertNone(partial, NODES);
    }
  }

  @Test
  void answersWholeOrNotAtAllWhereAPartIsNotAllowed() throws IOException {
    String target = "/" + INDEX + "/_search?allow_partial_search_results=false";
    try (TestBed partial = TestBed.inFrontOf(NODES.seeds());
        RawConnection wire = new RawConnection(partial.uri())) {
      JsonResponse late =
          wire.send("POST", target, JSON, SLOW_QUERY, "X-Weir-Timeout: 1s\r\n").readResponse();
      assertThat(late.status()).as("%s", late).isEqualTo(408);
      assertThat(late.text("error.type")).isEqualTo("deadline_exceeded_exception");
    }
  }

  /**
   * The partial response to a search that takes longer than its deadline. On a slow machine it
   * retries with a longer deadline, until the shard collects at least one document in time.
   */
  private static JsonResponse late(TestBed partial) {
    String target = "/" + INDEX + "/_search?request_cache=false";
    AtomicLong millis = new AtomicLong(1000);
    return Await.untilValue(
        "answer to a search that is late",
        () -> {
          try (RawConnection wire = new RawConnection(partial.uri())) {
            String head = "X-Weir-Timeout: " + millis + "ms\r\n";
            JsonResponse answer =
                wire.send("POST", target, JSON, QUICK_THEN_SLOW, head).readResponse();
            millis.updateAndGet(now -> answer.status() == 408 ? now * 3 / 2 : now * 2 / 3);
            return answer;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        answer -> answer.status() != 408 && !Boolean.FALSE.equals(answer.at("timed_out")));
  }

  /**
   * Each attempt freezes the node for a few seconds only: a node that is frozen for half a minute
   * is dropped from the cluster, and a search of its index fails with 503 from then on.
   */
  @Test
  void answersTheSearchesOfAnMsearchThatAreDoneAtTheDeadline() {
    AtomicLong seconds = new AtomicLong(1);
    Await.untilValue(
        "one search answered and one rejected at the deadline",
        () -> statusesWhileFrozen(seconds.getAndUpdate(now -> Math.min(8, now * 2))),
        List.of("200", "408")::equals);
  }

  /** Returns the statuses of a search that can be answered and of one that cannot. */
  private static List<String> statusesWhileFrozen(long timeoutSeconds) {
    String lines = "{\"index\":\"%s\"}\n{\"size\":1}\n{\"request_cache\":false}\n{\"size\":2}\n";
    HOLDER.freeze();
    try {
      return send(
              timeoutSeconds + "s",
              "POST",
              "/" + INDEX + "/_msearch?max_concurrent_searches=2",
              "application/x-ndjson",
              lines.formatted(ELSEWHERE))
          .objects("responses")
          .stream()
          .map(search -> String.valueOf(search.get("status")))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      NODES.restore();
    }
  }

  @Test
  void saysOfAWriteThatWasSentThatItsOutcomeIsNotKnown() {
    AtomicLong turns = new AtomicLong(100);
    JsonResponse answer =
        Await.untilValue(
            "answer of a write that takes longer than its client waits",
            () -> late(turns.getAndUpdate(now -> now * 2)),
            found -> found.status() == 200 && Boolean.TRUE.equals(found.at("errors")));
    JsonResponse item = new JsonResponse(200, answer.objects("items").getFirst());
    assertThat(item.number("update.status")).isEqualTo(408);
    assertThat(item.text("update.error.type")).isEqualTo("deadline_exceeded_exception");
    assertThat(item.text("update.error.reason")).contains("the outcome is not known");
    Await.untilValue(
        "the document",
        () -> JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_doc/1")),
        doc -> doc.number("_source.n") * 2 == turns.get());
  }

  /**
   * The response after a deadline of two seconds to an update whose script runs this many loops.
   */
  private static JsonResponse late(long turns) {
    String script = SLOW.formatted("1").replace("< 40;", "< %d;") + " ctx._source.n = %d";
    try {
      return send(
          "2s",
          "POST",
          "/" + INDEX + "/_bulk",
          "application/x-ndjson",
          "{\"update\":{\"_id\":\"1\"}}\n{\"script\":{\"source\":\""
              + script.formatted(turns, turns)
              + "\"}}\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void saysOfAWriteThatWasNotSentThatNothingWasDone() throws IOException {
    create(NOWHERE, allocatedTo("no such node"));
    try {
      JsonResponse refused = send("300ms", "PUT", "/" + NOWHERE + "/_doc/1", JSON, "{\"n\":1}");
      assertThat(refused.status()).isEqualTo(408);
      assertThat(refused.reasonOfError()).contains("nothing was done");
    } finally {
      NODES.rest().send("DELETE", "/" + NOWHERE).orThrow();
    }
  }

  private static final String SAME = "{\"size\":50,\"sort\":[\"n\"]}";

  private static RawConnection search(String body) throws IOException {
    return new RawConnection(bed.uri())
        .send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, body);
  }

  /** Copies refresh on their own schedule: until then, each may answer from before a write. */
  private static void refresh() {
    NODES.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
  }

  private static long coalescing(String field) {
    return JsonResponse.of(bed.admin().send("GET", "/stats").orThrow())
        .number("coalescing." + field);
  }

  private static long queries() {
    return JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_stats/search").orThrow())
        .number("_all.total.search.query_total");
  }

  private static Map<String, Object> withoutTook(JsonResponse answer) {
    Map<String, Object> body = new HashMap<>(answer.body());
    body.remove("took");
    return body;
  }

  /**
   * Two clients whose searches run once.
   *
   * @param savedBefore how many searches had been answered with another's answer
   * @param queriesBefore how many shard queries the index had run
   */
  private record CoalescedPair(
      RawConnection leader, RawConnection follower, long savedBefore, long queriesBefore)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      leader.close();
      follower.close();
    }
  }

  /** Sends a search twice until the second one joined the first, while the node is frozen. */
  private static CoalescedPair coalesceWhileFrozen(String body) throws IOException {
    return coalesce(body, HOLDER::freeze);
  }

  /**
   * Sends a search twice until the second one joined the first. It joins only if the gateway knew
   * the same state of the cluster when each arrived. When it learned of a newer state in between,
   * both run: then both are cancelled, and the next two try.
   */
  private static CoalescedPair coalesce(String body, Runnable begin) throws IOException {
    long deadline = System.nanoTime() + Await.TIMEOUT.toNanos();
    for (Duration wait = Duration.ofSeconds(2); ; wait = wait.plusSeconds(1)) {
      long saved = coalescing("saved_searches");
      long queries = queries();
      int clients = bed.gateway().clientConnections();
      begin.run();
      CoalescedPair pair = new CoalescedPair(search(body), search(body), saved, queries);
      if (Await.holds(wait, () -> coalescing("waiting_searches") == 1)) {
        return pair;
      }
      pair.close();
      NODES.restore();
      Await.untilValue(
          "both clients gone", bed.gateway()::clientConnections, now -> now <= clients);
      LeakChecks.assertNone(bed, NODES);
      assertThat(deadline - System.nanoTime())
          .as("time left, in ns: no two searches were coalesced in %s", Await.TIMEOUT)
          .isPositive();
    }
  }

  @Test
  void runsIdenticalSearchesOnceAndAnswersThemAsANodeDoes() throws IOException {
    refresh();
    try (CoalescedPair searches = coalesceWhileFrozen(SAME)) {
      HOLDER.resume();
      JsonResponse answer = searches.leader.readResponse();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(withoutTook(searches.follower.readResponse())).isEqualTo(withoutTook(answer));
      assertThat(coalescing("saved_searches")).isEqualTo(searches.savedBefore + 1);
      assertThat(queries()).isEqualTo(searches.queriesBefore + 1);
      JsonResponse nodes =
          JsonResponse.of(
              NODES.rest().send("POST", "/" + INDEX + "/_search?request_cache=false", SAME));
      assertThat(withoutTook(answer)).isEqualTo(withoutTook(nodes));
    }
  }

  @Test
  void goesOnForTheOthersWhenTheLeaderLeaves() throws IOException {
    try (CoalescedPair searches = coalesceWhileFrozen(SAME)) {
      long removed = stats("ban_removals");
      int connected = bed.gateway().clientConnections();
      searches.leader.close();
      Await.untilValue("the leader gone", bed.gateway()::clientConnections, now -> now < connected);
      HOLDER.resume();
      assertThat(searches.follower.readResponse().status()).isEqualTo(200);
      assertThat(stats("ban_removals")).isEqualTo(removed);
    }
  }

  @Test
  void cancelsTheSearchWhenTheLastClientLeaves() throws IOException {
    long removed;
    try (CoalescedPair searches = coalesce(SLOW_QUERY, () -> {})) {
      assertThat(searches.follower).isNotNull();
      // A search that was not sent yet has no task on a node, and so nothing to ban.
      Await.untilValue(
          "the search on a node", () -> LeakChecks.runningSearches(NODES), run -> !run.isEmpty());
      removed = stats("ban_removals");
    }
    Await.untilValue("a ban removed", () -> stats("ban_removals"), now -> now > removed);
  }
}
