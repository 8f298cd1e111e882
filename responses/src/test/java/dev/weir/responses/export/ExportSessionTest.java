package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.export.ExportCounts.End;
import dev.weir.responses.export.ExportFixture.Export;
import dev.weir.rest.RecordingExecutor.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.OpenSearchTimeoutException;
import org.opensearch.action.search.CreatePitAction;
import org.opensearch.action.search.DeletePitAction;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** An export from its request to its last byte, with searches that the test answers. */
final class ExportSessionTest {
  private static final CursorSigner.Seal SEAL = ExportFixture.sealOf("/logs/_weir/export");

  private static final Duration RETRY = Duration.ofSeconds(3);

  private final ExportFixture exports = new ExportFixture(2, 1);

  @AfterEach
  void close() {
    exports.close();
  }

  private static String lines(int... documents) {
    StringBuilder all = new StringBuilder();
    for (int document : documents) {
      all.append("{\"_index\":\"logs\",\"_id\":\"id")
          .append(document)
          .append("\",\"_source\":{\"n\":")
          .append(document)
          .append("}}\n");
    }
    return all.toString();
  }

  private static int[] range(int from, int to) {
    return IntStream.range(from, to).toArray();
  }

  private Export startWithShard() {
    Export export = exports.start("", "{}");
    exports.openPit(export, 1);
    return export;
  }

  private long endsOf(End end) {
    return exports.counts.countOf(end);
  }

  @Test
  void readsPageAfterPageUntilTheLastRow() {
    Export export = startWithShard();
    SearchRequest first = exports.answerPage(export, range(0, 100));
    assertThat(first.source().size()).isEqualTo(100);
    assertThat(first.source().searchAfter()).isNull();
    assertThat(first.allowPartialSearchResults()).isFalse();
    export.flush();
    SearchRequest second = exports.answerPage(export, 100, 101);
    assertThat(second.source().searchAfter()).containsExactly(99);
    export.flush();

    assertThat(export.text()).isEqualTo(lines(range(0, 102)));
    assertThat(export.trailers).isEqualTo(Map.of("X-Weir-Rows", "102"));
    assertThat(export.response().contentType()).startsWith("application/x-ndjson");
    assertThat(exports.waitingActions()).containsExactly(DeletePitAction.NAME);
    export.closeBody(true);
    assertThat(endsOf(End.COMPLETE)).isOne();
    assertThat(exports.counts.active()).isZero();
    assertThat(exports.counts.rows()).isEqualTo(102);
    assertThat(exports.counts.pages()).isEqualTo(2);
    assertThat(exports.delayedCount()).as("no renewal of the keep-alive is left").isZero();
  }

  @Test
  void respondsWithoutRowsToASearchWithoutMatches() {
    Export export = startWithShard();
    exports.answerPage(export);
    export.flush();
    assertThat(export.text()).isEmpty();
    assertThat(export.trailers).containsEntry("X-Weir-Rows", "0");
    export.closeBody(true);
    assertThat(endsOf(End.COMPLETE)).isOne();
  }

  @Test
  void respondsWithoutRowsWhereNoShardIsSearched() {
    Export export = exports.start("format=csv", "{}");
    exports.openPit(export, 0);
    export.flush();
    assertThat(export.text()).isEqualTo("_index,_id,_rest\r\n");
    assertThat(export.trailers).containsEntry("X-Weir-Rows", "0");
  }

  @Test
  void stopsAtTheSizeOfTheRequest() {
    Export export = exports.start("", "{\"size\":3}");
    exports.openPit(export, 1);
    SearchRequest page = exports.answerPage(export, 0, 1, 2);
    assertThat(page.source().size()).isEqualTo(3);
    export.flush();
    assertThat(export.text()).isEqualTo(lines(0, 1, 2));
    assertThat(export.trailers).isEqualTo(Map.of("X-Weir-Rows", "3"));
    assertThat(exports.waitingActions()).containsExactly(DeletePitAction.NAME);
  }

  @Test
  void readsNoFurtherThanTheClient() {
    Export export = startWithShard();
    export.isWritable = false;
    exports.answerPage(export, range(0, 100));
    assertThat(exports.waitingActions()).as("the head and a page wait already").isEmpty();
    assertThat(export.text()).isEmpty();
    assertThat(exports.counts.pages()).isOne();
    export.isWritable = true;
    export.response().body().onWritable();
    assertThat(export.text()).startsWith(lines(range(0, 100)));
    export.flush();
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
  }

  @Test
  void resumesFromACursorWithoutARowTwice() {
    Export export = exports.start("cursors=true", "{}");
    exports.openPit(export, 1);
    exports.answerPage(export, range(0, 100));
    String cursor = export.text().lines().toList().getLast();
    assertThat(cursor).startsWith("{\"cursor\":\"").endsWith("\"}");
    String text = cursor.substring("{\"cursor\":\"".length(), cursor.length() - 2);
    assertThat(ExportCursor.decode(text, SEAL).rowsSent()).isEqualTo(100);
    export.closeBody(false);
    assertThat(endsOf(End.CLIENT_DISCONNECTED)).isOne();
    assertThat(exports.waitingActions())
        .as("the point in time is renewed for the client, not deleted")
        .doesNotContain(DeletePitAction.NAME);
    exports.executor.forget();

    Export resumed = exports.start("/_weir/export", "{}", Map.of("X-Weir-Cursor", text));
    assertThat(resumed.http.text()).contains("got a cursor of another export");

    Export again = exports.start("cursor=" + text, "{}");
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
    SearchRequest page = exports.answerPage(again, 100);
    assertThat(page.source().searchAfter()).containsExactly(99);
    again.flush();
    assertThat(again.text()).isEqualTo(lines(100));
    assertThat(again.trailers).containsEntry("X-Weir-Rows", "101");
  }

  /** A body has room for a cursor of many shards, which no header or parameter takes. */
  @Test
  void resumesFromACursorInTheBody() {
    String search = "\"query\":{\"range\":{\"n\":{\"gte\":1.5}}}";
    Export export = exports.start("cursors=true", "{" + search + "}");
    exports.openPit(export, 1000);
    exports.answerPage(export, range(0, 100));
    String line = export.text().lines().toList().getLast();
    export.closeBody(false);
    exports.executor.forget();

    Export resumed = exports.start("", line.replace("}", "," + search + "}"));
    SearchRequest page = (SearchRequest) exports.next().request();
    assertThat(page.source().searchAfter()).containsExactly(99);
    assertThat(page.source().query()).isNotNull();
    assertThat(exports.start("", "{\"cursor\":\"x\"}").http.text())
        .contains("got a cursor that can't be read");
    assertThat(resumed.http.isAnswered()).isFalse();
  }

  @Test
  void freeTheSlotOfAClientThatReadsNothing() {
    Export export = startWithShard();
    export.isWritable = false;
    exports.answerPage(export, range(0, 100));
    assertThat(exports.counts.active()).isOne();
    exports.elapse(Duration.ofMinutes(1));
    export.http.runEventLoop();
    assertThat(exports.counts.active()).isZero();
    assertThat(endsOf(End.FAILED)).isOne();
  }

  @Test
  void keepTheExportOfASlowClientThatReads() {
    Export export = startWithShard();
    export.isWritable = false;
    exports.answerPage(export, range(0, 100));
    export.isWritable = true;
    export.response().body().onWritable();
    export.flush();
    exports.elapse(Duration.ofMinutes(1));
    export.http.runEventLoop();
    assertThat(exports.counts.active()).isOne();
    assertThat(endsOf(End.FAILED)).isZero();
  }

  @Test
  void leavesACursorWhereTheSizeCutTheRows() {
    Export export = exports.start("cursors=true", "{\"size\":2}");
    exports.openPit(export, 1);
    exports.answerPage(export, 0, 1);
    export.flush();
    String cursor = Objects.requireNonNull(export.trailers).get("X-Weir-Cursor");
    ExportCursor read = ExportCursor.decode(Objects.requireNonNull(cursor), SEAL);
    assertThat(read.positions()).hasSize(1);
    assertThat(read.positions().getFirst().searchAfter()).containsExactly(1);
    assertThat(read.isPitOwned()).isTrue();
    export.closeBody(true);
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
  }

  @Test
  void refusesACursorOfOtherShards() {
    Export export = exports.start("cursors=true", "{\"size\":2}");
    exports.openPit(export, 3);
    exports.answerPage(export, 0, 1);
    export.flush();
    ExportCursor read =
        ExportCursor.decode(
            Objects.requireNonNull(Objects.requireNonNull(export.trailers).get("X-Weir-Cursor")),
            SEAL);
    ExportCursor forged =
        new ExportCursor(
            read.requestHash(),
            read.pitId(),
            true,
            1,
            2,
            List.of(new ExportSlice.Position(3, null, ExportSlice.UNBOUNDED)));
    Export other = exports.start("cursor=" + forged.encode(SEAL), "{}");
    assertThat(other.http.reply().status()).isEqualTo(400);
    assertThat(other.http.text()).contains("got a cursor of other shards");
  }

  @Test
  void failsAsANodeDoesBeforeTheFirstByte() {
    Export export = startWithShard();
    exports.fail(export, exports.next(), new IllegalArgumentException("no such field"));
    assertThat(export.http.reply().status()).isEqualTo(400);
    assertThat(export.http.text()).contains("no such field");
    assertThat(exports.waitingActions()).containsExactly(DeletePitAction.NAME);
    assertThat(endsOf(End.FAILED)).isOne();
  }

  @Test
  void failsWithoutAPointInTime() {
    Export export = exports.start("", "{}");
    Call create = exports.next();
    assertThat(create.action()).isEqualTo(CreatePitAction.NAME);
    exports.fail(export, create, new OpenSearchRejectedExecutionException("too many contexts"));
    assertThat(export.http.reply().status()).isEqualTo(429);
    assertThat(exports.waitingActions()).isEmpty();
    assertThat(endsOf(End.FAILED)).isOne();
    assertThat(exports.counts.active()).isZero();
  }

  @Test
  void abortsTheBodyAfterTheFirstByte() {
    Export export = startWithShard();
    exports.answerPage(export, range(0, 100));
    export.flush();
    exports.fail(export, exports.next(), new IllegalStateException("shard is gone"));
    assertThat(export.isAborted).isTrue();
    assertThat(export.trailers).isNull();
    assertThat(export.text())
        .startsWith(lines(range(0, 100)))
        .contains("\"error\":", "shard is gone", "\"status\":500")
        .endsWith("}\n");
    export.closeBody(false);
    assertThat(endsOf(End.FAILED)).isOne();
    assertThat(endsOf(End.CLIENT_DISCONNECTED)).isZero();
  }

  @Test
  void takesNoPartOfAPage() {
    Export export = startWithShard();
    Call call = exports.next();
    exports.answer(export, call, ExportFixture.page(true, 0));
    assertThat(export.http.reply().status()).isEqualTo(500);
    assertThat(export.http.text()).contains("got a part of a page");
  }

  @Test
  void triesAgainAfterARejection() {
    Export export = startWithShard();
    exports.answerPage(export, range(0, 100));
    export.flush();
    for (int attempt = 0; attempt < 3; attempt++) {
      exports.fail(
          export, exports.next(), new OpenSearchRejectedExecutionException("queue is full"));
      assertThat(exports.waitingActions()).isEmpty();
      exports.elapse(RETRY);
      export.http.runEventLoop();
      assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
    }
    exports.answerPage(export, 100);
    export.flush();
    assertThat(export.text()).isEqualTo(lines(range(0, 101)));
    assertThat(exports.counts.retries()).isEqualTo(3);
  }

  @Test
  void readsSmallerPagesWhereMemoryIsShort() {
    Export export = startWithShard();
    exports.answerPage(export, range(0, 100));
    export.flush();
    Call large = exports.next();
    int size = ((SearchRequest) large.request()).source().size();
    exports.fail(
        export,
        large,
        new CircuitBreakingException("full", 2, 1, CircuitBreaker.Durability.TRANSIENT));
    exports.elapse(RETRY);
    export.http.runEventLoop();
    SearchRequest smaller = (SearchRequest) exports.next().request();
    assertThat(smaller.source().size()).isEqualTo(Math.max(1, size / 8));
    assertThat(smaller.source().searchAfter()).containsExactly(99);
  }

  @Test
  void stopsWhenTheClientDisconnectsBeforeTheFirstByte() {
    Export export = startWithShard();
    Call page = exports.next();
    export.http.disconnect();
    assertThat(page.context().cancelReason()).isNotNull();
    assertThat(exports.waitingActions()).containsExactly(DeletePitAction.NAME);
    assertThat(endsOf(End.CLIENT_DISCONNECTED)).isOne();
    assertThat(exports.delayedCount()).isZero();
  }

  @Test
  void stopsWhenTheClientDisconnectsDuringTheBody() {
    Export export = startWithShard();
    exports.answerPage(export, range(0, 100));
    export.flush();
    Call page = exports.next();
    export.closeBody(false);
    assertThat(page.context().cancelReason()).contains("the export needs no further pages");
    assertThat(exports.waitingActions()).containsExactly(DeletePitAction.NAME);
    assertThat(endsOf(End.CLIENT_DISCONNECTED)).isOne();
    assertThat(exports.counts.active()).isZero();
  }

  @Test
  void renewsThePointInTimeWhileItReads() {
    Export export = exports.start("keep_alive=30s", "{}");
    exports.openPit(export, 1);
    elapse(export, Duration.ofSeconds(10));
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME, SearchAction.NAME);
    exports.next();
    Call renewal = exports.next();
    SearchRequest search = (SearchRequest) renewal.request();
    assertThat(search.source().size()).isZero();
    assertThat(search.source().pointInTimeBuilder().getKeepAlive().seconds()).isEqualTo(30);
    assertThat(renewal.context().deadline().timeout()).isEqualTo(Duration.ofSeconds(10));
    elapse(export, Duration.ofSeconds(10));
    assertThat(exports.waitingActions()).as("one renewal at a time").isEmpty();
    exports.answer(export, renewal, ExportFixture.page(false));
    elapse(export, Duration.ofSeconds(10));
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
    assertThat(exports.delayedCount()).isOne();
  }

  @Test
  void renewsAgainAfterARenewalThatTookTooLong() {
    Export export = exports.start("keep_alive=30s", "{}");
    exports.openPit(export, 1);
    elapse(export, Duration.ofSeconds(10));
    exports.next();
    exports.fail(export, exports.next(), new OpenSearchTimeoutException("a node hangs"));
    elapse(export, Duration.ofSeconds(10));
    assertThat(exports.waitingActions()).containsExactly(SearchAction.NAME);
  }

  private void elapse(Export export, Duration time) {
    exports.elapse(time);
    export.http.runEventLoop();
  }

  @Test
  void asksForScoresOfNamedQueriesWhereTheParameterDoes() {
    Export body = exports.start("", "{\"include_named_queries_score\":true}");
    exports.openPit(body, 1);
    SearchRequest plain = (SearchRequest) exports.next().request();
    assertThat(plain.source().includeNamedQueriesScore()).isFalse();
    Export parameter = exports.start("include_named_queries_score=true", "{}");
    exports.openPit(parameter, 1);
    SearchRequest scored = (SearchRequest) exports.next().request();
    assertThat(scored.source().includeNamedQueriesScore()).isTrue();
  }

  @Test
  void leavesTheClientsOwnPointInTimeOpen() {
    String pit = ExportFixture.pitId(1);
    Export export = exports.start("/_weir/export", "{\"pit\":{\"id\":\"" + pit + "\"}}", Map.of());
    exports.answerPage(export, 7);
    export.flush();
    export.closeBody(true);
    assertThat(export.text()).isEqualTo(lines(7));
    assertThat(exports.waitingActions()).isEmpty();
  }

  @Test
  void rejectsOneExportTooMany() {
    exports.start("", "{}");
    exports.start("", "{}");
    Export third = exports.start("", "{}");
    assertThat(third.http.reply().status()).isEqualTo(429);
    assertThat(third.http.text())
        .contains("expected: at most 2, see responses.export.max-in-flight");
    assertThat(endsOf(End.REJECTED)).isOne();
    assertThat(exports.counts.active()).isEqualTo(2);
  }

  @Test
  void measuresShardsToSplitThem() {
    ExportFixture wide = new ExportFixture(1, 4);
    try {
      Export export = wide.start("", "{\"query\":{\"term\":{\"a\":1}}}");
      wide.openPit(export, 1);
      Call measure = wide.next();
      SearchRequest last = (SearchRequest) measure.request();
      assertThat(last.source().size()).isOne();
      assertThat(last.source().query()).isNotNull();
      wide.answer(export, measure, ExportFixture.page(false, 9_999));
      assertThat(wide.waitingActions()).hasSize(4).containsOnly(SearchAction.NAME);
      List<Object> starts =
          wide.executor.calls().stream()
              .map(call -> {
                Object[] after = ((SearchRequest) call.request()).source().searchAfter();
                return after == null ? (Object) "start" : after[0];
              })
              .toList();
      assertThat(starts).containsExactly("start", 2_499L, 4_999L, 7_499L);
      wide.answerPage(export, 0, 2_499, 2_500);
      assertThat(export.text()).as("2500 belongs to the next slice").isEqualTo(lines(0, 2_499));
    } finally {
      wide.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "slices=0 | {} | got [0] for [slices] (expected: auto, or 1 to 1)",
        "slices=x | {} | got [x] for [slices]",
        "keep_alive=10ms | {} | for [keep_alive] (expected: at least 30s)",
        "format=xml | {} | got [xml] for [format]",
        "format=csv&cursors=true | {} | got [cursors] with an export",
        "filter_path=a | {} | got [filter_path] with an export",
        "cursor=nonsense | {} | got a cursor that can't be read",
        "scroll=1m | {} | got [scroll] with an export",
        " | {\"aggs\":{\"a\":{\"avg\":{\"field\":\"n\"}}}} | got [aggregations] with an export",
        " | {\"from\":3} | got [from] with an export",
        " | {\"size\":0} | got [size] of [0] with an export",
        " | {\"collapse\":{\"field\":\"n\"}} | got [collapse] with an export",
        " | {\"search_after\":[1],\"sort\":[\"n\"]} | got [search_after] with an export",
        " | {\"slice\":{\"id\":0,\"max\":2}} | got [slice] with an export",
        " | {\"highlight\":{\"fields\":{\"n\":{}}}} | got [highlight] with an export",
        " | {\"explain\":true} | got [explain] with an export",
        " | {\"profile\":true} | got [profile] with an export",
        " | {\"terminate_after\":5} | got [terminate_after] with an export",
        " | {\"timeout\":\"1s\"} | got [timeout] with an export",
        "search_type=dfs_query_then_fetch | {} | got [dfs_query_then_fetch] with an export",
        "allow_partial_search_results=true | {} | got [allow_partial_search_results] with",
      })
  void refusesWhatIsMoreThanRows(String parameters, String search, String reason) {
    Export export = exports.start(parameters == null ? "" : parameters, search);
    assertThat(export.http.reply().status()).isEqualTo(400);
    assertThat(export.http.text().replace("\\\"", "\"")).contains(reason);
    assertThat(exports.counts.active()).isZero();
    assertThat(exports.waitingActions()).isEmpty();
  }
}
