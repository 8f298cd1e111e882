package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.HttpExchange;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads that pass through to a node, and reads that a node of the other cluster answers. */
final class PassThroughShadowFilterTest {
  private final ShadowServiceFixture shadow = new ShadowServiceFixture();

  @AfterEach
  void close() throws InterruptedException {
    shadow.close();
  }

  @Test
  void repeatPassedThroughReadWithItsCredentials() throws InterruptedException {
    PassThroughObserver.ExchangeObserver read = shadow.observed("POST", "/logs/_count?q=x");
    read.onRequestBody(ByteBuffer.wrap("{\"query\"".getBytes(UTF_8)));
    read.onRequestBody(ByteBuffer.wrap(":{}}".getBytes(UTF_8)));
    assertThat(shadow.service.heldBytes()).isPositive();
    ShadowServiceFixture.answer(read, 200, "{\"cou", "nt\":7}");
    assertThat(shadow.sent).as("on another loop").isEmpty();
    shadow.run();
    assertThat(shadow.coordinated).as("with rights of the gateway's own").isEmpty();
    HttpExchange repeated = shadow.sent.getFirst().request;
    assertThat(repeated.method()).isEqualTo("POST");
    assertThat(repeated.uri()).isEqualTo("/logs-v2/_count?q=x");
    assertThat(repeated.headers()).containsExactly(ShadowServiceFixture.CREDENTIALS);
    assertThat(UTF_8.decode(repeated.body()).toString()).isEqualTo("{\"query\":{}}");
    assertThat(repeated.isInternal()).isTrue();
    assertThat(repeated.policy()).isSameAs(RequestPolicy.NONE);
    assertThat(shadow.service.inFlight()).isEqualTo(1);
    shadow.sent.getFirst().answer(200, ShadowServiceFixture.COUNT.formatted(8));
    assertThat(shadow.verdicts()).containsExactly("count different 1");
    assertThat(shadow.service.report().toMap().toString())
        .contains("path=count, primary=7, shadow=8");
  }

  @Test
  void translateIndexNamesInBody() {
    shadow.target = "renaming";
    PassThroughObserver.ExchangeObserver read = shadow.observed("POST", "/_mget");
    read.onRequestBody(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"logs\"}]}".getBytes(UTF_8)));
    ShadowServiceFixture.answer(read, 200, "{}");
    PassThroughObserver.ExchangeObserver shorter = shadow.observed("POST", "/_mget");
    shorter.onRequestBody(ByteBuffer.wrap("a-long-name ".repeat(80).getBytes(UTF_8)));
    ShadowServiceFixture.answer(shorter, 200, "{}");
    PassThroughObserver.ExchangeObserver unsayable = shadow.observed("POST", "/_mget");
    unsayable.onRequestBody(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"*\"}]}".getBytes(UTF_8)));
    ShadowServiceFixture.answer(unsayable, 200, "{}");
    shadow.run();
    assertThat(shadow.sent).hasSize(2);
    assertThat(UTF_8.decode(shadow.sent.getFirst().request.body()).toString())
        .isEqualTo("{\"docs\":[{\"_index\":\"logs-of-green\"}]}");
    assertThat(shadow.sent.getLast().request.body().remaining()).isEqualTo(80);
    shadow.sent.forEach(one -> one.answer(200, "{}"));
    assertThat(shadow.skipped(ShadowSkipReason.UNTRANSLATABLE)).isEqualTo(1);
  }

  @Test
  void skipBodyRewrittenForFirstCluster() {
    shadow.first = "renaming";
    assertThat(shadow.observe("POST", "/_mget", List.of())).isNull();
    assertThat(shadow.skipped(ShadowSkipReason.REWRITTEN_BODY)).isEqualTo(1);
  }

  @Test
  void compareDecodedResponses() throws Exception {
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
      out.write(ShadowServiceFixture.COUNT.formatted(7).getBytes(UTF_8));
    }
    ByteArrayOutputStream deflate = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(deflate)) {
      out.write(ShadowServiceFixture.COUNT.formatted(8).getBytes(UTF_8));
    }
    coded("gzip", gzip.toByteArray());
    coded("deflate", deflate.toByteArray());
    coded("gzip", new byte[] {1, 2, 3});
    coded("br", new byte[] {1, 2, 3});
    assertThat(shadow.verdicts())
        .containsExactly("count same 1", "count different 1", "count not-comparable 2");
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.MALFORMED_RESPONSE)).isEqualTo(2);
  }

  private void coded(String coding, byte[] body) {
    PassThroughObserver.ExchangeObserver read = shadow.observed("GET", "/logs/_count");
    read.onHead(200, "application/json", coding);
    read.onContent(ByteBuffer.wrap(body));
    read.onComplete();
    shadow.run();
    shadow.sent.getLast().answer(200, ShadowServiceFixture.COUNT.formatted(7));
  }

  @Test
  void observeOnlySampledReadsThatPassThrough() {
    assertThat(shadow.observe("POST", "/logs/_delete_by_query", List.of())).isNull();
    assertThat(shadow.observe("GET", "/logs/_search?scroll=1m", List.of())).isNull();
    shadow.drawn = 0.5;
    assertThat(shadow.observe("GET", "/logs/_count", List.of())).isNull();
    assertThat(shadow.router().routeAfterBody("GET", "/logs/_count", "why").observer()).isNull();
    shadow.drawn = 0.49;
    assertThat(shadow.router().routeAfterBody("GET", "/logs/_count", "why").observer()).isNotNull();
    assertThat(shadow.router().routeAfterBody("GET", "/logs/_count", "why").reason())
        .isEqualTo("why");
    assertThat(shadow.router().routeLargeBody("GET", "/logs/_count").observer()).isNull();
    shadow.decision = new RequestRouter.Coordinate("search");
    assertThat(shadow.router().route("GET", "/logs/_count")).isSameAs(shadow.decision);
    assertThat(shadow.service.report().skips()).allMatch(count -> count.count() == 0);
  }

  @Test
  void skipRequestsThatCannotBeCopied() {
    assertThat(
            shadow.observe("POST", "/logs/_count", List.of(Map.entry("Content-Encoding", "gzip"))))
        .isNull();
    assertThat(shadow.skipped(ShadowSkipReason.ENCODED_BODY)).isEqualTo(1);
    PassThroughObserver.ExchangeObserver read = shadow.observed("POST", "/logs/_count");
    read.onRequestBody(ByteBuffer.allocate(600));
    read.onRequestBody(ByteBuffer.allocate(600));
    assertThat(shadow.service.heldBytes()).isZero();
    ShadowServiceFixture.answer(read, 200, ShadowServiceFixture.COUNT.formatted(1));
    assertThat(shadow.skipped(ShadowSkipReason.LARGE_BODY)).isEqualTo(1);

    List<PassThroughObserver.ExchangeObserver> many = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      many.add(shadow.observed("POST", "/logs/_count"));
      many.getLast().onRequestBody(ByteBuffer.allocate(900));
    }
    assertThat(shadow.skipped(ShadowSkipReason.MEMORY_LIMIT)).isEqualTo(1);
    many.forEach(PassThroughObserver.ExchangeObserver::onDisconnect);
    assertThat(shadow.skipped(ShadowSkipReason.CLIENT_DISCONNECTED)).isEqualTo(5);
    shadow.run();
    assertThat(shadow.sent).isEmpty();
  }

  @Test
  void skipRejectedReads() {
    for (int status : new int[] {401, 408, 429, 503}) {
      ShadowServiceFixture.answer(shadow.observed("GET", "/logs/_count"), status, "{}");
    }
    shadow.observed("GET", "/logs/_count").onFailure(429);
    assertThat(shadow.skipped(ShadowSkipReason.REJECTED)).isEqualTo(5);
    shadow.observed("GET", "/logs/_count").onFailure(502);
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.UNREACHABLE_NODES)).isEqualTo(1);
    shadow.run();
    assertThat(shadow.sent).isEmpty();
  }

  @Test
  void compareLongResponseByStatusAlone() throws InterruptedException {
    ShadowServiceFixture.answer(
        shadow.observed("GET", "/logs/_search"), 200, "x".repeat(600), "x".repeat(600));
    shadow.run();
    shadow.sent.getFirst().answer(403, "{}");
    ShadowServiceFixture.answer(shadow.observed("GET", "/logs/_search"), 200, "{}");
    shadow.run();
    assertThat(shadow.sent.getLast().answer.onContent(ByteBuffer.allocate(1001))).isFalse();
    shadow.sent.getLast().answer.onHead(200, "application/json", "");
    shadow.sent.getLast().answer.onComplete();
    assertThat(shadow.verdicts()).containsExactly("search different 1", "search not-comparable 1");
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.LONG_RESPONSE)).isEqualTo(1);
  }

  @Test
  void compareHeadByStatus() throws InterruptedException {
    PassThroughObserver.ExchangeObserver read = shadow.observed("HEAD", "/logs/_doc/1");
    read.onHead(200, "application/json", "");
    read.onComplete();
    shadow.run();
    shadow.sent.getFirst().answer.onHead(404, "application/json", "");
    shadow.sent.getFirst().answer.onComplete();
    assertThat(shadow.verdicts()).containsExactly("exists different 1");
  }

  @Test
  void countFailingAndLateNodesAsIncomparable() throws InterruptedException {
    int[] broken = {429, 502, 503, 504};
    for (int status : broken) {
      ShadowServiceFixture.answer(
          shadow.observed("GET", "/logs/_count"), 200, ShadowServiceFixture.COUNT.formatted(1));
      shadow.run();
      shadow.sent.getLast().answer.onFailure(status);
    }
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.REJECTED)).isEqualTo(2);
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.UNREACHABLE_NODES)).isEqualTo(2);
    ShadowServiceFixture.answer(
        shadow.observed("GET", "/logs/_count"), 200, ShadowServiceFixture.COUNT.formatted(1));
    shadow.run();
    shadow.timers.element().run();
    shadow.run();
    assertThat(shadow.sent.getLast().stopped).isTrue();
    assertThat(shadow.notComparable(ComparisonVerdict.Reason.NO_RESPONSE_IN_TIME)).isEqualTo(1);
    shadow.sent.getLast().answer(200, "{}"); // too late
    assertThat(shadow.verdicts()).containsExactly("count not-comparable 5");
  }

  @Test
  void stopReadsOnClose() {
    ShadowServiceFixture.answer(
        shadow.observed("GET", "/logs/_count"), 200, ShadowServiceFixture.COUNT.formatted(1));
    PassThroughObserver.ExchangeObserver later = shadow.observed("GET", "/logs/_count");
    shadow.run();
    shadow.service.close();
    shadow.run();
    assertThat(shadow.sent.getFirst().stopped).isTrue();
    ShadowServiceFixture.answer(later, 200, ShadowServiceFixture.COUNT.formatted(1));
    assertThat(shadow.skipped(ShadowSkipReason.SHUTTING_DOWN)).isEqualTo(2);
  }

  @Test
  void skipReadBoundByIdInBody() {
    PassThroughObserver.ExchangeObserver read = shadow.observed("POST", "/_search");
    read.onRequestBody(ByteBuffer.wrap("{\"pit\":{\"id\":\"abc\"}}".getBytes(UTF_8)));
    ShadowServiceFixture.answer(read, 200, "{}");
    shadow.run();
    assertThat(shadow.sent).isEmpty();
    assertThat(shadow.skipped(ShadowSkipReason.BOUND_TO_CLUSTER)).isEqualTo(1);
  }
}
