package dev.weir.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestLog;
import dev.weir.model.Trace;
import dev.weir.model.TraceParent;
import dev.weir.model.Work;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TracingTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String UNSAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-00";
  private static final NodeEndpoint NODE =
      new NodeEndpoint(
          "id-1",
          "e",
          "node-1",
          InetSocketAddress.createUnresolved("10.0.0.1", 9300),
          null,
          Set.of(),
          Map.of(),
          "3.8.0");

  private final HeldSpans collector = new HeldSpans();
  private final SpanCounts counts = new SpanCounts(512);
  private double drawn = 0.5;

  private static TracesPolicy policy(double percent, boolean followClients) {
    return new TracesPolicy(
        true,
        "http://127.0.0.1:1/v1/traces",
        "weir-test",
        percent,
        followClients,
        Map.of(),
        Duration.ofSeconds(5),
        512);
  }

  private Tracing tracing(TracesPolicy policy, HeldSpans exporter) {
    return new Tracing(policy, SpanPipe.to(exporter, policy, false, counts), () -> drawn);
  }

  private static RequestLog log(String uri, String action, int status) {
    return new RequestLog(
        0,
        "10.0.0.9:5",
        "POST",
        uri,
        "HTTP/2.0",
        "coordinated",
        action,
        "",
        status,
        10,
        20,
        3_000_000,
        "app-7",
        42,
        "blue",
        "");
  }

  private static @Nullable String text(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  private static @Nullable Long number(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.longKey(key));
  }

  @Test
  void theWayThroughToANodeIsUnderTheRequest() {
    Tracing tracing = tracing(policy(0, true), collector);
    Trace trace = tracing.begin(SAMPLED, System.nanoTime());
    Trace.Hop hop = trace.hop("PUT");
    TraceParent named = Objects.requireNonNull(TraceParent.parse(hop.parent()));
    hop.to(InetSocketAddress.createUnresolved("10.0.0.1", 9200));
    hop.to(InetSocketAddress.createUnresolved("10.0.0.2", 9201));
    hop.answered(201);
    hop.forgotten();
    Trace.Hop lost = trace.hop("GET");
    lost.failed("connection-lost", "gone");
    Trace.Hop refused = trace.hop("HEAD");
    refused.answered(404);
    TraceParent own = Objects.requireNonNull(TraceParent.parse(trace.parent()));
    trace.over(log("/i/_doc/1", "other", 201));
    tracing.close();
    SpanData span = collector.named("PUT");
    assertThat(span.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(span.getSpanId()).isEqualTo(named.spanId()).isNotEqualTo(own.spanId());
    assertThat(span.getParentSpanId()).isEqualTo(own.spanId());
    assertThat(text(span, "http.request.method")).isEqualTo("PUT");
    assertThat(text(span, "server.address")).isEqualTo("10.0.0.2");
    assertThat(number(span, "server.port")).isEqualTo(9201);
    assertThat(number(span, "http.request.resend_count")).isEqualTo(1);
    assertThat(number(span, "http.response.status_code")).isEqualTo(201);
    assertThat(text(span, "error.type")).isNull();
    assertThat(text(collector.named("GET"), "error.type")).isEqualTo("connection-lost");
    assertThat(text(collector.named("HEAD"), "error.type")).isEqualTo("404");
    assertThat(collector.named("HEAD").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(Trace.NONE.hop("GET")).isSameAs(Trace.Hop.NONE);
    assertThat(Trace.NONE.hop("GET").parent()).isEmpty();
  }

  @Test
  void nothingIsRecordedWhileItIsOff() {
    try (Tracing off = new Tracing(policy(100, true), null, () -> 0)) {
      assertThat(off.begin(SAMPLED, 0)).isSameAs(Trace.NONE);
    }
  }

  @Test
  void aClientsSampledTraceIsFollowedAndAnUnsampledOneIsNot() {
    try (Tracing tracing = tracing(policy(0, true), collector)) {
      assertThat(tracing.begin(SAMPLED, 0).recorded()).isTrue();
      assertThat(tracing.begin(null, 0)).isSameAs(Trace.NONE);
      assertThat(tracing.begin("00-no-traceparent-01", 0)).isSameAs(Trace.NONE);
      tracing.use(policy(100, true));
      assertThat(tracing.begin(UNSAMPLED, 0)).isSameAs(Trace.NONE);
      assertThat(tracing.begin(null, 0).recorded()).isTrue();
    }
  }

  @Test
  void otherwiseAShareOfRequestsIsRecorded() {
    try (Tracing tracing = tracing(policy(50, false), collector)) {
      drawn = 0.49;
      assertThat(tracing.begin(null, 0).recorded()).isTrue();
      assertThat(tracing.begin(UNSAMPLED, 0).recorded()).isTrue();
      drawn = 0.5;
      assertThat(tracing.begin(null, 0)).isSameAs(Trace.NONE);
      assertThat(tracing.begin(SAMPLED, 0)).isSameAs(Trace.NONE);
    }
  }

  @Test
  void aRequestsSpanIsUnderItsClientsAndTellsWhatTheLogDoes() {
    Tracing tracing = tracing(policy(0, true), collector);
    long now = System.nanoTime();
    Trace trace = tracing.begin(SAMPLED, now - 5_000_000);
    TraceParent parent = Objects.requireNonNull(TraceParent.parse(trace.parent()));
    assertThat(parent.traceId()).isEqualTo(TRACE).isEqualTo(trace.traceId());
    assertThat(parent.sampled()).isTrue();
    trace.over(log("/logs/_search?q=a:b", "search", 200));
    tracing.close();
    SpanData span = collector.named("POST search");
    assertThat(span.getKind()).isEqualTo(SpanKind.SERVER);
    assertThat(span.getParentSpanId()).isEqualTo("00f067aa0ba902b7");
    assertThat(span.getSpanContext().getTraceId()).isEqualTo(TRACE);
    assertThat(span.getSpanContext().getSpanId()).isEqualTo(parent.spanId());
    assertThat(span.getEndEpochNanos() - span.getStartEpochNanos())
        .isBetween(5_000_000L, Duration.ofMinutes(1).toNanos());
    assertThat(span.getResource().getAttribute(AttributeKey.stringKey("service.name")))
        .isEqualTo("weir-test");
    assertThat(text(span, "http.request.method")).isEqualTo("POST");
    assertThat(text(span, "url.path")).isEqualTo("/logs/_search");
    assertThat(text(span, "url.query")).isEqualTo("q=a:b");
    assertThat(text(span, "url.scheme")).isEqualTo("http");
    assertThat(text(span, "network.protocol.version")).isEqualTo("2");
    assertThat(text(span, "client.address")).isEqualTo("10.0.0.9");
    assertThat(text(span, "weir.path")).isEqualTo("coordinated");
    assertThat(text(span, "weir.cluster")).isEqualTo("blue");
    assertThat(text(span, "weir.opaque_id")).isEqualTo("app-7");
    assertThat(number(span, "http.response.status_code")).isEqualTo(200);
    assertThat(number(span, "weir.request_id")).isEqualTo(42);
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void failuresOfTheServerAndClientsThatWentAreTold() {
    Tracing tracing = tracing(policy(100, true), collector);
    tracing.begin(null, 0).over(log("/a", "get", 503));
    tracing.begin(null, 0).over(log("/a", "other", 499));
    tracing.begin(null, 0).over(log("/a", "bulk", 429));
    tracing.close();
    assertThat(collector.named("POST get").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(text(collector.named("POST get"), "error.type")).isEqualTo("503");
    assertThat(text(collector.named("POST"), "error.type")).isEqualTo("client-gone");
    assertThat(number(collector.named("POST"), "http.response.status_code")).isNull();
    assertThat(text(collector.named("POST bulk"), "error.type")).isNull();
  }

  @Test
  void callsAreUnderTheirPhaseAndPhasesUnderTheRequest() {
    Tracing tracing = tracing(policy(100, true), collector);
    Trace trace = tracing.begin(null, System.nanoTime());
    Trace search = trace.part();
    search.phase("query", false);
    Trace.Call first = search.call("q[1]", Work.HITS, NODE);
    Trace.Call second = search.call("q[2]", Work.HITS, NODE);
    first.answered();
    second.failed("timed-out", "no answer");
    second.answered(); // the first word counts
    search.phase("reduce", true);
    search.phase("fetch", false); // without a call
    search.phase("", false);
    trace.call("alone", Work.GET, NODE).forgotten();
    trace.over(log("/a/_search", "search", 200));
    tracing.close();
    String server = collector.named("POST search").getSpanId();
    String query = collector.named("query").getSpanId();
    assertThat(collector.taken())
        .extracting(SpanData::getName)
        .containsExactlyInAnyOrder("POST search", "query", "q[1]", "q[2]", "reduce", "alone");
    assertThat(collector.named("query").getParentSpanId()).isEqualTo(server);
    assertThat(collector.named("reduce").getParentSpanId()).isEqualTo(server);
    assertThat(collector.named("alone").getParentSpanId()).isEqualTo(server);
    assertThat(text(collector.named("alone"), "error.type")).isEqualTo("forgotten");
    SpanData failed = collector.named("q[2]");
    assertThat(failed.getParentSpanId()).isEqualTo(query);
    assertThat(failed.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(failed.getStatus().getDescription()).isEqualTo("no answer");
    assertThat(text(failed, "error.type")).isEqualTo("timed-out");
    SpanData answered = collector.named("q[1]");
    assertThat(answered.getParentSpanId()).isEqualTo(query);
    assertThat(text(answered, "db.system.name")).isEqualTo("opensearch");
    assertThat(text(answered, "db.operation.name")).isEqualTo("q[1]");
    assertThat(text(answered, "server.address")).isEqualTo("10.0.0.1");
    assertThat(number(answered, "server.port")).isEqualTo(9300);
    assertThat(text(answered, "weir.node.name")).isEqualTo("node-1");
    assertThat(text(answered, "error.type")).isNull();
  }

  @Test
  void partsHavePhasesOfTheirOwn() {
    Tracing tracing = tracing(policy(100, true), collector);
    Trace trace = tracing.begin(null, System.nanoTime());
    Trace one = trace.part();
    Trace other = trace.part();
    one.phase("query", false);
    other.phase("fetch", false);
    one.call("q", Work.HITS, NODE).answered();
    other.call("f", Work.FETCH, NODE).answered();
    one.phase("", false);
    other.phase("", false);
    trace.over(log("/_msearch", "msearch", 200));
    tracing.close();
    assertThat(collector.named("q").getParentSpanId())
        .isEqualTo(collector.named("query").getSpanId());
    assertThat(collector.named("f").getParentSpanId())
        .isEqualTo(collector.named("fetch").getSpanId());
  }

  @Test
  void aRequestLeavesABoundedNumberOfSpans() {
    Tracing tracing = tracing(policy(100, true), collector);
    Trace trace = tracing.begin(null, System.nanoTime());
    for (int i = 0; i < RecordedRequest.MOST_SPANS + 3; i++) {
      trace.part().call("q", Work.HITS, NODE).answered();
    }
    trace.over(log("/a/_search", "search", 200));
    tracing.close();
    assertThat(collector.taken()).hasSize(RecordedRequest.MOST_SPANS + 1);
    assertThat(number(collector.named("POST search"), "weir.spans_left_out")).isEqualTo(3);
  }

  @Test
  void whatACollectorDoesNotTakeIsLostAndWhatWaitsTooLongIsDropped() throws InterruptedException {
    HeldSpans slow = new HeldSpans(new CountDownLatch(1));
    slow.refuses = true;
    Tracing tracing = tracing(policy(100, true), slow);
    for (int i = 0; i < 512; i++) {
      tracing.begin(null, 0).over(log("/a", "get", 200));
    }
    slow.begun.await();
    assertThat(counts.waiting()).isEqualTo(512);
    for (int i = 0; i < 3; i++) {
      tracing.begin(null, 0).over(log("/a", "get", 200));
    }
    assertThat(counts.dropped()).isEqualTo(3);
    slow.mayAnswer.countDown();
    tracing.close();
    assertThat(counts.waiting()).isZero();
    assertThat(counts.lost()).isEqualTo(512);
    assertThat(counts.exported()).isZero();
  }

  @Test
  void anExporterThatThrowsLeavesNothingWaiting() {
    HeldSpans broken = new HeldSpans();
    broken.thrown = new IllegalStateException("broken");
    Tracing tracing = tracing(policy(100, true), broken);
    tracing.begin(null, 0).over(log("/a", "get", 200));
    tracing.close();
    assertThat(counts.waiting()).isZero();
    assertThat(counts.lost()).isEqualTo(1);
  }

  @Test
  void closingWaitsNoLongerThanItMay() {
    HeldSpans silent = new HeldSpans(new CountDownLatch(1));
    TracesPolicy policy = policy(100, true);
    TracesPolicy hasty =
        new TracesPolicy(
            true,
            policy.endpoint(),
            policy.serviceName(),
            100,
            true,
            Map.of(),
            Duration.ofMillis(100),
            512);
    Tracing tracing = tracing(hasty, silent);
    tracing.begin(null, 0).over(log("/a", "get", 200));
    long before = System.nanoTime();
    tracing.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
    silent.mayAnswer.countDown();
  }
}
