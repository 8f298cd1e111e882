package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.intake.Delegation;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.Deadline;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that a node carries out in the gateway's place. */
class DelegatedRequestTest {
  private static final ProxyFailure LATE =
      ProxyFailure.uncertain(408, "deadline_exceeded_exception", "too late");

  /** Starts every delegation in the same way, and records the ends. */
  private static final class DelegatingFilter implements HeaderFilter {
    final BlockingQueue<Boolean> ends = new LinkedBlockingQueue<>();
    private final @Nullable Duration timeout;
    private final @Nullable ProxyFailure rejection;

    DelegatingFilter(@Nullable Duration timeout, @Nullable ProxyFailure rejection) {
      this.timeout = timeout;
      this.rejection = rejection;
    }

    @Override
    public boolean admitsAll(RequestPolicy policy) {
      return true;
    }

    @Override
    public @Nullable Session startSession(
        RequestHead head, RequestRouter.Decision decision, RequestPolicy policy) {
      return null;
    }

    @Override
    public Delegation startDelegation(RequestHead head, String tenant, RequestPolicy policy) {
      if (rejection != null) {
        return new Delegation.Rejected(rejection, 7);
      }
      Deadline deadline =
          timeout == null ? Deadline.NONE : Deadline.after(System.nanoTime(), timeout, "a test");
      return new Delegation.Started(deadline, () -> LATE, ends::add);
    }

    boolean awaitEnd() throws InterruptedException {
      Boolean expired = ends.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(expired).as("whether the deadline had passed").isNotNull();
      return expired;
    }
  }

  private static HttpServerFixture.Setup to(ScriptedNode node, DelegatingFilter filter) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node.address());
    setup.router = (method, uri) -> PassThrough.delegated("security", "search");
    setup.gate = filter;
    return setup;
  }

  @Test
  void endAtTheDeadlineAndCloseTheNodesConnection() throws Exception {
    DelegatingFilter filter = new DelegatingFilter(Duration.ofMillis(50), null);
    LinkedBlockingQueue<String> closed = new LinkedBlockingQueue<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.awaitClose();
              closed.add("closed");
            });
        HttpServerFixture rig = to(node, filter).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/_search", "body"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(408);
      assertThat(response.text()).contains("deadline_exceeded_exception", "too late");
      assertThat(filter.awaitEnd()).isTrue();
      assertThat(closed.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
          .isEqualTo("closed");
      assertThat(rig.targets.outstanding(node.address())).isZero();
    }
  }

  @Test
  void endARepeatedReadAtTheDeadline() throws Exception {
    DelegatingFilter filter = new DelegatingFilter(Duration.ofMillis(200), null);
    LinkedBlockingQueue<String> closed = new LinkedBlockingQueue<>();
    try (ScriptedNode full = ScriptedNode.answering(429, "full");
        ScriptedNode silent =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.awaitClose();
              closed.add("closed");
            })) {
      HttpServerFixture.Setup setup = to(full, filter);
      setup.nodes = List.of(full.address(), silent.address());
      setup.proxyOptions = setup.proxyOptions.withRepeatable((method, uri) -> true);
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/_search", "body"));
        assertThat(wire.read().status()).isEqualTo(408);
        assertThat(filter.awaitEnd()).isTrue();
        assertThat(closed.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
            .isEqualTo("closed");
        assertThat(rig.targets.outstanding(full.address())).isZero();
        assertThat(rig.targets.outstanding(silent.address())).isZero();
        assertThat(filter.ends).isEmpty();
      }
    }
  }

  @Test
  void logTheActionOfAnAnsweredRequest() throws Exception {
    DelegatingFilter filter = new DelegatingFilter(Duration.ofMinutes(5), null);
    try (ScriptedNode node = ScriptedNode.answering(200, "found");
        HttpServerFixture rig = to(node, filter).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/_search"));
      assertThat(wire.read().text()).isEqualTo("found");
      assertThat(filter.awaitEnd()).isFalse();
      assertThat(rig.log())
          .satisfies(line -> {
            assertThat(line.path()).isEqualTo("passthrough");
            assertThat(line.reason()).isEqualTo("security");
            assertThat(line.action()).isEqualTo("search");
          });
      assertThat(filter.ends).isEmpty();
    }
  }

  @Test
  void rejectBeforeAnythingIsSent() throws Exception {
    DelegatingFilter filter =
        new DelegatingFilter(
            null, ProxyFailure.withoutEffect(429, "rejected_execution_exception", "too many"));
    AtomicInteger asked = new AtomicInteger();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              asked.incrementAndGet();
              conversation.answer(200, "never");
            });
        HttpServerFixture rig = to(node, filter).start();
        RawHttpConnection wire = rig.connect()) {
      for (String body : new String[] {"small", "b".repeat(3_000_000)}) {
        wire.send(RawHttpConnection.post("/_search", body));
        RawHttpConnection.Response response = wire.read();
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.text()).contains("too many");
        assertThat(rig.log().status()).isEqualTo(429);
      }
      assertThat(asked).hasValue(0);
    }
  }

  /** A write that nobody sent needs no repair. */
  @Test
  void reportADoubtOnlyAboutARequestThatWasSent() throws Exception {
    ProxyFailure expiredOnArrival =
        ProxyFailure.withoutEffect(408, "deadline_exceeded_exception", "not sent");
    LinkedBlockingQueue<Integer> doubts = new LinkedBlockingQueue<>();
    for (DelegatingFilter filter :
        List.of(
            new DelegatingFilter(null, expiredOnArrival),
            new DelegatingFilter(Duration.ofMillis(50), null))) {
      try (ScriptedNode node =
          new ScriptedNode(conversation -> {
            conversation.read();
            conversation.awaitClose();
          })) {
        HttpServerFixture.Setup setup = to(node, filter);
        setup.router =
            (method, uri) ->
                PassThrough.delegated("security", "bulk")
                    .thenOnUncertainOutcome(status -> {
                      doubts.add(status);
                      return CompletableFuture.completedFuture(null);
                    });
        try (HttpServerFixture rig = setup.start();
            RawHttpConnection wire = rig.connect()) {
          wire.send(RawHttpConnection.post("/_bulk", "body"));
          assertThat(wire.read().status()).isEqualTo(408);
          assertThat(doubts).hasSize(filter.rejection == null ? 1 : 0);
        }
      }
    }
  }

  /** The body of a coordinated request can show that a node must check the client. */
  @Test
  void startTheDelegationOfARequestWhoseBodyRequiresANode() throws Exception {
    DelegatingFilter filter = new DelegatingFilter(Duration.ofMillis(50), null);
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          conversation.read();
          conversation.awaitClose();
        })) {
      HttpServerFixture.Setup setup = to(node, filter);
      setup.router =
          new RequestRouter() {
            @Override
            public Decision route(String method, String uri) {
              return new Coordinate("search");
            }

            @Override
            public PassThrough routeAfterBody(String method, String uri, String reason) {
              return PassThrough.delegated(reason, "search");
            }
          };
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/_search", "body"));
        HttpExchange exchange = rig.take();
        HttpServerFixture.onHome(exchange, () -> exchange.passThrough("security-user"));
        assertThat(wire.read().status()).isEqualTo(408);
        assertThat(filter.awaitEnd()).isTrue();
        assertThat(rig.log().reason()).isEqualTo("security-user");
      }
    }
  }

  @Test
  void leaveOtherRequestsAlone() throws Exception {
    DelegatingFilter filter = new DelegatingFilter(null, LATE);
    try (ScriptedNode node = ScriptedNode.answering(200, "plain")) {
      HttpServerFixture.Setup setup = to(node, filter);
      setup.router = (method, uri) -> new PassThrough("not-coordinated");
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/_cat/nodes"));
        assertThat(wire.read().text()).isEqualTo("plain");
        assertThat(rig.log().action()).isEqualTo("other");
      }
    }
  }
}
