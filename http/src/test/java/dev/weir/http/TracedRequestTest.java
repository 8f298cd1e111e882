package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpOptions;
import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestTrace;
import dev.weir.model.RequestTracer;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TracedRequestTest {
  private static final String CLIENTS = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String OWN = "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01";

  private static final String HOP = "00-4bf92f3577b34da6a3ce929d0e0e4736-2222222222222222-01";

  private final BlockingQueue<String> hops = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  private final BlockingQueue<CompletedRequest> ended = new LinkedBlockingQueue<>();
  private boolean records = true;

  private final RequestTracer traces =
      (parent, startedNanos) -> {
        asked.add(String.valueOf(parent));
        return records ? new Told() : RequestTrace.NONE;
      };

  private final class Told implements RequestTrace {
    @Override
    public boolean isRecording() {
      return true;
    }

    @Override
    public String traceId() {
      return OWN.substring(3, 35);
    }

    @Override
    public String traceParent() {
      return OWN;
    }

    @Override
    public RequestTrace newSubTrace() {
      return this;
    }

    @Override
    public void startPhase(String name, boolean always) {}

    @Override
    public CallSpan startCall(String action, @Nullable NodeCallType work, NodeEndpoint node) {
      return CallSpan.NONE;
    }

    @Override
    public PassThroughSpan startPassThrough(String method) {
      hops.add(method);
      return new PassThroughSpan() {
        @Override
        public String traceParent() {
          return HOP;
        }

        @Override
        public void onNodeSelected(InetSocketAddress node) {
          hops.add("to a node");
        }

        @Override
        public void onResponse(int status) {
          hops.add("answered " + status);
        }

        @Override
        public void onFailure(String kind, String why) {
          hops.add("failed " + kind);
        }

        @Override
        public void onAbandoned() {
          hops.add("forgotten");
        }
      };
    }

    @Override
    public void end(CompletedRequest log) {
      ended.add(log);
    }
  }

  private HttpServerFixture.Setup traced(HttpServerFixture.Setup setup) {
    HttpOptions plain = setup.options;
    setup.options =
        new HttpOptions(
            plain.limits(),
            plain.timeouts(),
            plain.compression(),
            plain.security(),
            plain.serverVersion(),
            traces,
            plain.clients());
    return setup;
  }

  /** Returns what a node receives of a request with these headers. */
  private Map<String, String> onward(String... headers) throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              seen.complete(conversation.read());
              conversation.answer(200, "ok");
              conversation.awaitClose();
            });
        HttpServerFixture rig = traced(NodeProxyTest.to(node)).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_doc", "{}", headers));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.text()).isEqualTo("ok");
      assertThat(response.head()).doesNotContainIgnoringCase("traceparent");
      rig.log();
      return HttpServerFixture.await(seen).headers();
    }
  }

  @Test
  void sendThePassThroughSpanToTheNode() throws Exception {
    assertThat(onward("TraceParent: " + CLIENTS, "tracestate: a=b"))
        .containsEntry("traceparent", HOP)
        .containsEntry("tracestate", "a=b");
    assertThat(asked.take()).isEqualTo(CLIENTS);
    assertThat(ended.take().traceParent()).isEqualTo(OWN);
    assertThat(hops).containsExactly("POST", "to a node", "answered 200");
    assertThat(onward()).containsEntry("traceparent", HOP);
    assertThat(asked.take()).isEqualTo("null");
  }

  @Test
  void recordBothNodesOfARepeatedRead() throws Exception {
    try (ScriptedNode full = ScriptedNode.answering(429, "full");
        ScriptedNode free = ScriptedNode.answering(200, "free")) {
      HttpServerFixture.Setup setup = NodeProxyTest.to(full, free);
      setup.proxyOptions = setup.proxyOptions.withRepeatable((method, uri) -> true);
      try (HttpServerFixture rig = traced(setup).start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/_search"));
        assertThat(wire.read().text()).isEqualTo("free");
      }
    }
    assertThat(hops).containsExactly("GET", "to a node", "to a node", "answered 200");
  }

  @Test
  void recordHowAPassThroughFails() throws Exception {
    InetSocketAddress nobody;
    try (ScriptedNode node = ScriptedNode.answering(200, "")) {
      nobody = node.address();
    }
    CountDownLatch waits = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.reset();
            });
        ScriptedNode silent =
            new ScriptedNode(conversation -> {
              conversation.read();
              waits.countDown();
              conversation.awaitClose();
            })) {
      failed(502, node.address());
      assertThat(hops).containsExactly("POST", "to a node", "failed connection-lost");
      hops.clear();
      failed(503, nobody);
      assertThat(hops).containsExactly("POST", "to a node", "failed not-sent");
      hops.clear();
      try (HttpServerFixture rig =
          traced(new HttpServerFixture.Setup().passThrough(silent.address())).start()) {
        try (RawHttpConnection wire = rig.connect()) {
          wire.send(RawHttpConnection.post("/i/_doc", "{}"));
          assertThat(waits.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        rig.log();
      }
      assertThat(hops).containsExactly("POST", "to a node", "forgotten");
    }
  }

  private void failed(int status, InetSocketAddress node) throws Exception {
    try (HttpServerFixture rig = traced(new HttpServerFixture.Setup().passThrough(node)).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_doc", "{}"));
      assertThat(wire.read().status()).isEqualTo(status);
    }
  }

  @Test
  void forwardTheTraceHeaderWhenNothingIsRecorded() throws Exception {
    records = false;
    assertThat(onward("TraceParent: " + CLIENTS)).containsEntry("TraceParent", CLIENTS);
    assertThat(onward()).doesNotContainKey("traceparent");
    assertThat(ended).isEmpty();
  }

  @Test
  void severalTraceparentsAreNone() throws Exception {
    onward("traceparent: " + CLIENTS, "traceparent: " + OWN);
    assertThat(asked.take()).isEqualTo("null");
  }

  @Test
  void traceCoordinatedRequests() throws Exception {
    BlockingQueue<HttpExchange> taken = new LinkedBlockingQueue<>();
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              taken.add(exchange);
              exchange.respond(
                  new BufferedResponse(200, "text/plain", List.of(), List.of(), () -> {}));
            });
    try (HttpServerFixture rig = traced(setup).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_search", "{}", "traceparent: " + CLIENTS));
      assertThat(wire.read().status()).isEqualTo(200);
      HttpExchange exchange = taken.take();
      assertThat(exchange.trace().isRecording()).isTrue();
      assertThat(exchange.headers())
          .anyMatch(
              header -> header.getKey().equals("traceparent") && header.getValue().equals(OWN));
      CompletedRequest log = ended.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(log).isNotNull();
      assertThat(log.action()).isEqualTo("test");
      assertThat(log.status()).isEqualTo(200);
      assertThat(log.traceParent()).isEqualTo(OWN);
    }
  }

  @Test
  void logTheClientsTraceWhenNothingIsRecorded() throws Exception {
    records = false;
    try (ScriptedNode node = ScriptedNode.answering(200, "ok");
        HttpServerFixture rig = traced(NodeProxyTest.to(node)).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_doc", "{}", "traceparent: " + CLIENTS));
      assertThat(wire.read().text()).isEqualTo("ok");
      assertThat(rig.log().traceParent()).isEqualTo(CLIENTS);
    }
  }
}
