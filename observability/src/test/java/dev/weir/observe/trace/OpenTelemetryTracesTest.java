package dev.weir.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.TracesPolicy;
import dev.weir.model.CompletedRequest;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestTrace;
import dev.weir.model.TraceParent;
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

final class OpenTelemetryTracesTest {
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

  private final FakeSpanExporter collector = new FakeSpanExporter();
  private final SpanCounters counts = new SpanCounters(512);
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

  private OpenTelemetryTraces tracing(TracesPolicy policy, FakeSpanExporter exporter) {
    return new OpenTelemetryTraces(
        policy, SpanPipeline.create(exporter, policy, false, counts), () -> drawn);
  }

  private static CompletedRequest log(String uri, String action, int status) {
    return new CompletedRequest(
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
        "_default",
        "");
  }

  private static @Nullable String text(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  private static @Nullable Long number(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.longKey(key));
  }

  @Test
  void recordAPassThroughBelowTheRequest() {
    OpenTelemetryTraces tracing = tracing(policy(0, true), collector);
    RequestTrace trace = tracing.start(SAMPLED, System.nanoTime());
    RequestTrace.PassThroughSpan hop = trace.startPassThrough("PUT");
    TraceParent named = Objects.requireNonNull(TraceParent.parse(hop.traceParent()));
    hop.onNodeSelected(InetSocketAddress.createUnresolved("10.0.0.1", 9200));
    hop.onNodeSelected(InetSocketAddress.createUnresolved("10.0.0.2", 9201));
    hop.onResponse(201);
    hop.onAbandoned();
    RequestTrace.PassThroughSpan lost = trace.startPassThrough("GET");
    lost.onFailure("connection-lost", "gone");
    RequestTrace.PassThroughSpan refused = trace.startPassThrough("HEAD");
    refused.onResponse(404);
    TraceParent own = Objects.requireNonNull(TraceParent.parse(trace.traceParent()));
    trace.end(log("/i/_doc/1", "other", 201));
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
    assertThat(RequestTrace.NONE.startPassThrough("GET"))
        .isSameAs(RequestTrace.PassThroughSpan.NONE);
    assertThat(RequestTrace.NONE.startPassThrough("GET").traceParent()).isEmpty();
  }

  @Test
  void recordNothingWhileDisabled() {
    try (OpenTelemetryTraces off = new OpenTelemetryTraces(policy(100, true), null, () -> 0)) {
      assertThat(off.start(SAMPLED, 0)).isSameAs(RequestTrace.NONE);
    }
  }

  @Test
  void followTheClientsSamplingDecision() {
    try (OpenTelemetryTraces tracing = tracing(policy(0, true), collector)) {
      assertThat(tracing.start(SAMPLED, 0).isRecording()).isTrue();
      assertThat(tracing.start(null, 0)).isSameAs(RequestTrace.NONE);
      assertThat(tracing.start("00-no-traceparent-01", 0)).isSameAs(RequestTrace.NONE);
      tracing.updatePolicy(policy(100, true));
      assertThat(tracing.start(UNSAMPLED, 0)).isSameAs(RequestTrace.NONE);
      assertThat(tracing.start(null, 0).isRecording()).isTrue();
    }
  }

  @Test
  void recordTheConfiguredRatioOfRequests() {
    try (OpenTelemetryTraces tracing = tracing(policy(50, false), collector)) {
      drawn = 0.49;
      assertThat(tracing.start(null, 0).isRecording()).isTrue();
      assertThat(tracing.start(UNSAMPLED, 0).isRecording()).isTrue();
      drawn = 0.5;
      assertThat(tracing.start(null, 0)).isSameAs(RequestTrace.NONE);
      assertThat(tracing.start(SAMPLED, 0)).isSameAs(RequestTrace.NONE);
    }
  }

  @Test
  void recordTheRequestsSpanBelowTheClients() {
    OpenTelemetryTraces tracing = tracing(policy(0, true), collector);
    long now = System.nanoTime();
    RequestTrace trace = tracing.start(SAMPLED, now - 5_000_000);
    TraceParent parent = Objects.requireNonNull(TraceParent.parse(trace.traceParent()));
    assertThat(parent.traceId()).isEqualTo(TRACE).isEqualTo(trace.traceId());
    assertThat(parent.sampled()).isTrue();
    trace.end(log("/logs/_search?q=a:b", "search", 200));
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
  void recordServerErrorsAndDisconnects() {
    OpenTelemetryTraces tracing = tracing(policy(100, true), collector);
    tracing.start(null, 0).end(log("/a", "get", 503));
    tracing.start(null, 0).end(log("/a", "other", 499));
    tracing.start(null, 0).end(log("/a", "bulk", 429));
    tracing.close();
    assertThat(collector.named("POST get").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(text(collector.named("POST get"), "error.type")).isEqualTo("503");
    assertThat(text(collector.named("POST"), "error.type")).isEqualTo("client-disconnected");
    assertThat(number(collector.named("POST"), "http.response.status_code")).isNull();
    assertThat(text(collector.named("POST bulk"), "error.type")).isNull();
  }

  @Test
  void callsAreUnderTheirPhaseAndPhasesUnderTheRequest() {
    OpenTelemetryTraces tracing = tracing(policy(100, true), collector);
    RequestTrace trace = tracing.start(null, System.nanoTime());
    RequestTrace search = trace.newSubTrace();
    search.startPhase("query", false);
    RequestTrace.CallSpan first = search.startCall("q[1]", NodeCallType.HITS, NODE);
    RequestTrace.CallSpan second = search.startCall("q[2]", NodeCallType.HITS, NODE);
    first.onResponse();
    second.onFailure("timed-out", "no answer");
    second.onResponse(); // the first word counts
    search.startPhase("reduce", true);
    search.startPhase("fetch", false); // without a call
    search.startPhase("", false);
    trace.startCall("alone", null, NODE).onAbandoned();
    trace.end(log("/a/_search", "search", 200));
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
    assertThat(text(collector.named("alone"), "weir.work")).isNull();
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
    assertThat(text(answered, "weir.work")).isEqualTo("hits");
    assertThat(text(answered, "error.type")).isNull();
  }

  @Test
  void partsHavePhasesOfTheirOwn() {
    OpenTelemetryTraces tracing = tracing(policy(100, true), collector);
    RequestTrace trace = tracing.start(null, System.nanoTime());
    RequestTrace one = trace.newSubTrace();
    RequestTrace other = trace.newSubTrace();
    one.startPhase("query", false);
    other.startPhase("fetch", false);
    one.startCall("q", NodeCallType.HITS, NODE).onResponse();
    other.startCall("f", NodeCallType.FETCH, NODE).onResponse();
    one.startPhase("", false);
    other.startPhase("", false);
    trace.end(log("/_msearch", "msearch", 200));
    tracing.close();
    assertThat(collector.named("q").getParentSpanId())
        .isEqualTo(collector.named("query").getSpanId());
    assertThat(collector.named("f").getParentSpanId())
        .isEqualTo(collector.named("fetch").getSpanId());
  }

  @Test
  void boundTheSpansOfARequest() {
    OpenTelemetryTraces tracing = tracing(policy(100, true), collector);
    RequestTrace trace = tracing.start(null, System.nanoTime());
    for (int i = 0; i < RequestSpan.MAX_SPANS + 3; i++) {
      trace.newSubTrace().startCall("q", NodeCallType.HITS, NODE).onResponse();
    }
    trace.end(log("/a/_search", "search", 200));
    tracing.close();
    assertThat(collector.taken()).hasSize(RequestSpan.MAX_SPANS + 1);
    assertThat(number(collector.named("POST search"), "weir.dropped_spans")).isEqualTo(3);
  }

  @Test
  void dropRejectedAndOverdueSpans() throws InterruptedException {
    FakeSpanExporter slow = new FakeSpanExporter(new CountDownLatch(1));
    slow.refuses = true;
    OpenTelemetryTraces tracing = tracing(policy(100, true), slow);
    for (int i = 0; i < 512; i++) {
      tracing.start(null, 0).end(log("/a", "get", 200));
    }
    slow.begun.await();
    assertThat(counts.waiting()).isEqualTo(512);
    for (int i = 0; i < 3; i++) {
      tracing.start(null, 0).end(log("/a", "get", 200));
    }
    assertThat(counts.dropped()).isEqualTo(3);
    slow.mayAnswer.countDown();
    tracing.close();
    assertThat(counts.waiting()).isZero();
    assertThat(counts.exportFailures()).isEqualTo(512);
    assertThat(counts.exported()).isZero();
  }

  @Test
  void dropSpansWhenTheExporterThrows() {
    FakeSpanExporter broken = new FakeSpanExporter();
    broken.thrown = new IllegalStateException("broken");
    OpenTelemetryTraces tracing = tracing(policy(100, true), broken);
    tracing.start(null, 0).end(log("/a", "get", 200));
    tracing.close();
    assertThat(counts.waiting()).isZero();
    assertThat(counts.exportFailures()).isEqualTo(1);
  }

  @Test
  void closingWaitsNoLongerThanItMay() {
    FakeSpanExporter silent = new FakeSpanExporter(new CountDownLatch(1));
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
    OpenTelemetryTraces tracing = tracing(hasty, silent);
    tracing.start(null, 0).end(log("/a", "get", 200));
    long before = System.nanoTime();
    tracing.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
    silent.mayAnswer.countDown();
  }
}
