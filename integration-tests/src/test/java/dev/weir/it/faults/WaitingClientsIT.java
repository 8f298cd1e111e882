package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that say for how long they wait, or wait for the same. */
class WaitingClientsIT {
  private static final String JSON = "application/json";
  private static final String INDEX = "waiting-clients";
  private static final String ELSEWHERE = "waiting-elsewhere";
  private static final String NOWHERE = "waiting-nowhere";
  private static final int SEGMENTS = 40;

  /** Takes long for each document; whether to go on is looked at between segments. */
  private static final String SLOW =
      "double turn(double x) { double s = x; for (int i = 0; i < 500000; i++) { s = Math.sin(s + i)"
          + " } return s } double all = 0; for (int i = 0; i < 40; i++) { all += turn(%s + i) } ";

  private static final String SLOW_QUERY =
      "{\"query\":{\"script\":{\"script\":{\"source\":\""
          + SLOW.formatted("doc['n'].value")
          + " return all < 1e300\"}}}}";

  private static final DataNodeCluster NODES = SharedCluster.get();

  /** Has the only copy of the index: what is sent there is not answered while it is frozen. */
  private static final DataNode HOLDER = NODES.node(2);

  private static TestBed bed;

  @BeforeAll
  static void start() {
    // or shards might answer just before the deadline with what they have found
    bed =
        TestBed.withSections(
            NODES.seeds(),
            "admission: {deadline: {allow-partial-results: false},"
                + " coalescing: {indices: ['waiting-*'], max-age: 1m}}");
    create(
        INDEX,
        on(HOLDER.name())
            + ", \"merge.policy.segments_per_tier\": 100, \"merge.policy.max_merge_at_once\": 100");
    for (int n = 0; n < SEGMENTS; n++) {
      NODES
          .rest()
          .bulk(
              "/" + INDEX + "/_bulk?refresh=true",
              ("{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + "}\n").getBytes(UTF_8))
          .orThrow();
    }
    create(ELSEWHERE, on(NODES.node(1).name()));
    NODES.rest().send("PUT", "/" + ELSEWHERE + "/_doc/1?refresh=true", "{\"n\":1}").orThrow();
    create(NOWHERE, on("no such node"));
  }

  private static String on(String node) {
    return "\"routing.allocation.require._name\": \"" + node + '"';
  }

  private static void create(String index, String more) {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + index + "?wait_for_active_shards=0",
            "{\"settings\": {\"number_of_shards\": 1, \"number_of_replicas\": 0, "
                + more
                + "}, \"mappings\": {\"properties\": {\"n\": {\"type\": \"long\"}}}}")
        .orThrow();
  }

  @AfterAll
  static void end() {
    bed.close();
    NODES.rest().send("DELETE", "/" + INDEX + "," + ELSEWHERE + "," + NOWHERE).orThrow();
  }

  @AfterEach
  void leavesNothing() {
    LeakChecks.assertNone(bed, NODES);
    Await.untilValue("bans that are left", () -> stats("pending_ban_removals"), left -> left == 0);
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
  void answersInTimeWhatTakesLittle() throws IOException {
    JsonResponse answer = send("5m", "POST", "/" + INDEX + "/_search", JSON, "{\"size\": 3}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("timed_out")).isEqualTo(false);
    assertThat(answer.number("hits.total.value")).isEqualTo(SEGMENTS);
  }

  @Test
  void stopsASearchOnTheNodesWhenItsTimeIsOver() throws IOException {
    long lifted = stats("ban_removals");
    long passed = stats("exceeded");
    JsonResponse late =
        send("2s", "POST", "/" + INDEX + "/_search?request_cache=false", JSON, SLOW_QUERY);
    assertThat(late.status()).isEqualTo(408);
    assertThat(late.text("error.type")).isEqualTo("deadline_exceeded_exception");
    assertThat(late.reasonOfError()).contains("[2000ms]", "[header X-Weir-Timeout]");
    assertThat(stats("exceeded")).isEqualTo(passed + 1);
    Await.untilValue("searches that run", () -> LeakChecks.runningSearches(NODES), String::isEmpty);
    Await.untilValue("bans lifted", () -> stats("ban_removals"), now -> now > lifted);
  }

  @Test
  void stopsASearchOnTheNodesWhenItsClientLeaves() throws IOException {
    long lifted = stats("ban_removals");
    try (RawConnection wire = new RawConnection(bed.uri())) {
      wire.send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, SLOW_QUERY);
      Await.untilValue(
          "the running search", () -> LeakChecks.runningSearches(NODES), found -> !found.isEmpty());
    }
    Await.untilValue("bans lifted", () -> stats("ban_removals"), now -> now > lifted);
  }

  /** Finds the first half at once, and takes long enough for the others. */
  private static final String QUICK_THEN_SLOW =
      SLOW_QUERY
          .replace("double all", "if (doc['n'].value < 20) { return true } double all")
          .replace("< 40;", "< 6;");

  @Test
  void answersALittleBeforeTheDeadlineWithWhatWasFound() {
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
   * What is told of a search that takes longer than its client waits, before the deadline. Of a
   * slow machine more time is asked for, in which it gets from one document to the next.
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

  @Test
  void answersTheSearchesOfAnMsearchThatHaveAnAnswer() {
    String lines = "{\"index\":\"%s\"}\n{\"size\":1}\n{\"request_cache\":false}\n{\"size\":2}\n";
    AtomicLong seconds = new AtomicLong(1);
    HOLDER.freeze();
    try {
      // On a slow machine the answer that can be given may take longer than the first time.
      Await.untilValue(
          "answers to the searches",
          () -> {
            try {
              return send(
                      seconds.getAndUpdate(now -> now * 2) + "s",
                      "POST",
                      "/" + INDEX + "/_msearch?max_concurrent_searches=2",
                      "application/x-ndjson",
                      lines.formatted(ELSEWHERE))
                  .objects("responses")
                  .stream()
                  .map(one -> String.valueOf(one.get("status")))
                  .toList();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          },
          List.of("200", "408")::equals);
    } finally {
      HOLDER.resume();
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

  /** What is told, after two seconds, of a write of this number that takes so many turns. */
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
    JsonResponse refused = send("300ms", "PUT", "/" + NOWHERE + "/_doc/1", JSON, "{\"n\":1}");
    assertThat(refused.status()).isEqualTo(408);
    assertThat(refused.reasonOfError()).contains("nothing was done");
  }

  private static final String SAME = "{\"size\":50,\"sort\":[\"n\"]}";

  private static RawConnection searching(String body) throws IOException {
    return new RawConnection(bed.uri())
        .send("POST", "/" + INDEX + "/_search?request_cache=false", JSON, body);
  }

  /** The copies refresh at their own time: until then, each may answer from before a write. */
  private static void everyCopyHasWhatWasWritten() {
    NODES.rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
  }

  private static long shared(String field) {
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

  @Test
  void identicalSearchesAreAnsweredByOneAsANodeAnswersThem() throws IOException {
    everyCopyHasWhatWasWritten();
    long saved = shared("saved_searches");
    long queries = queries();
    HOLDER.freeze();
    try (RawConnection one = searching(SAME);
        RawConnection other = searching(SAME)) {
      oneWaitsForAnother();
      HOLDER.resume();
      JsonResponse answer = one.readResponse();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(withoutTook(other.readResponse())).isEqualTo(withoutTook(answer));
      assertThat(shared("saved_searches")).isEqualTo(saved + 1);
      assertThat(queries()).isEqualTo(queries + 1);
      JsonResponse nodes =
          JsonResponse.of(
              NODES.rest().send("POST", "/" + INDEX + "/_search?request_cache=false", SAME));
      assertThat(withoutTook(answer)).isEqualTo(withoutTook(nodes));
    } finally {
      HOLDER.resume();
    }
  }

  @Test
  void whoLeavesDoesNotCancelTheOthersAndTheLastOneDoes() throws IOException {
    long lifted = stats("ban_removals");
    HOLDER.freeze();
    RawConnection one = searching(SAME);
    try (RawConnection other = searching(SAME)) {
      oneWaitsForAnother();
      int connected = bed.gateway().clientConnections();
      one.close();
      Await.untilValue("connections", bed.gateway()::clientConnections, now -> now < connected);
      HOLDER.resume();
      assertThat(other.readResponse().status()).isEqualTo(200);
    } finally {
      HOLDER.resume();
    }
    assertThat(stats("ban_removals")).isEqualTo(lifted);
    one = searching(SLOW_QUERY);
    RawConnection other = searching(SLOW_QUERY);
    oneWaitsForAnother();
    one.close();
    other.close();
    Await.untilValue("bans lifted", () -> stats("ban_removals"), now -> now > lifted);
  }

  private static void oneWaitsForAnother() {
    Await.untilValue("the follower", () -> shared("waiting_searches"), waiting -> waiting == 1);
  }
}
