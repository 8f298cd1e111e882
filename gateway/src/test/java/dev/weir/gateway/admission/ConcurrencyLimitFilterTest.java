package dev.weir.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

final class ConcurrencyLimitFilterTest {
  private static final BufferedResponse OK =
      new BufferedResponse(200, "", List.of(), List.of(), () -> {});

  private final ConcurrencyLimiter admission = new ConcurrencyLimiter(1, Duration.ofSeconds(3));
  private final PolicyCompiler<PolicyBulkheads.Limits> terms =
      new PolicyCompiler<>(PolicyBulkheads.Limits.NONE);
  private final PolicyBulkheads bulkheads = new PolicyBulkheads(terms);
  private final List<HttpExchange> handled = new ArrayList<>();
  private final RecentRoutingDecisions recent = RejectionRecorderTest.recent();
  private final ConcurrencyLimitFilter filter =
      new ConcurrencyLimitFilter(
          new RequestLimits(admission, bulkheads, new RejectionRecorder(recent.rejections())));
  private final RequestHandler handler = RequestFilter.chain(List.of(filter), handled::add);

  /** An exchange that records its calls. */
  private static final class Exchange implements HttpExchange {
    final List<BufferedResponse> replies = new ArrayList<>();
    final List<String> passed = new ArrayList<>();
    final List<Runnable> onDisconnect = new ArrayList<>();
    final List<Long> numbers = new ArrayList<>();
    RequestPolicy policy = RequestPolicy.NONE;

    @Override
    public RequestPolicy policy() {
      return policy;
    }

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String uri() {
      return "/i/_search";
    }

    @Override
    public String protocolVersion() {
      return "HTTP/1.1";
    }

    @Override
    public List<Map.Entry<String, String>> headers() {
      return List.of();
    }

    @Override
    public ByteBuffer body() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public long arrivedNanos() {
      return 0;
    }

    @Override
    public SocketAddress remoteAddress() {
      return InetSocketAddress.createUnresolved("client", 1);
    }

    @Override
    public SocketAddress localAddress() {
      return new InetSocketAddress("127.0.0.1", 9200);
    }

    @Override
    public Executor eventLoop() {
      return Runnable::run;
    }

    @Override
    public void onDisconnect(Runnable action) {
      onDisconnect.add(action);
    }

    @Override
    public void assignTaskId(long id) {
      numbers.add(id);
    }

    @Override
    public void respond(BufferedResponse reply) {
      replies.add(reply);
    }

    @Override
    public void passThrough(String reason) {
      passed.add(reason);
    }

    @Override
    public void drop() {
      passed.add("dropped");
    }

    @Override
    public void retainBody() {}
  }

  @Test
  void releaseThePermitAfterTheLastByte() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    assertThat(handled.getFirst().uri()).isEqualTo("/i/_search");
    handled.getFirst().respond(OK);
    assertThat(admission.inFlight()).isEqualTo(1);
    exchange.replies.getFirst().onReleased().run();
    assertThat(admission.inFlight()).isZero();
  }

  /** The response is kept while another cluster is asked, whose limit is the same. */
  @Test
  void releaseThePermitOfAnIncompleteResponseAtOnce() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    handled.getFirst().markIncomplete();
    assertThat(admission.inFlight()).isEqualTo(1);
    handled.getFirst().respond(OK);
    assertThat(admission.inFlight()).isZero();
    exchange.replies.getFirst().onReleased().run();
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void holdThePermitOfAWriteAfterADisconnectUntilItsEnd() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    exchange.onDisconnect.forEach(Runnable::run);
    assertThat(admission.inFlight()).isEqualTo(1);
    handled.getFirst().respond(OK);
    exchange.replies.getFirst().onReleased().run();
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void releaseThePermitWhenTheWorkIsDropped() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    handled.getFirst().drop();
    assertThat(exchange.passed).containsExactly("dropped");
    assertThat(admission.inFlight()).isZero();
  }

  private static Exchange exchange(RequestPolicy policy) {
    Exchange exchange = new Exchange();
    exchange.policy = policy;
    return exchange;
  }

  @Test
  void boundTheRequestsOfAPolicy() {
    admission.setLimit(3, Duration.ofSeconds(3));
    RequestPolicy one =
        terms.compile("logs", new PolicyBulkheads.Limits(1, Duration.ofSeconds(7)), null);
    handler.handle(exchange(one));
    Exchange refused = exchange(one);
    handler.handle(refused);
    assertThat(refused.replies.getFirst().status()).isEqualTo(429);
    assertThat(refused.replies.getFirst().headers()).contains(Map.entry("Retry-After", "7"));
    assertThat(new String(refused.replies.getFirst().body().toByteArray(), StandardCharsets.UTF_8))
        .contains("too_many_requests_in_flight of policy logs, got 1 in flight");
    assertThat(admission.inFlight()).isOne();
    handler.handle(new Exchange());
    assertThat(handled).hasSize(2);

    RequestPolicy wider =
        terms.compile("logs", new PolicyBulkheads.Limits(2, Duration.ofSeconds(7)), one);
    handler.handle(exchange(wider));
    assertThat(handled).as("who was in flight before the change counts").hasSize(3);
    Exchange full = exchange(wider);
    handler.handle(full);
    assertThat(full.replies).hasSize(1);
    ConcurrencyLimiter own = Objects.requireNonNull(bulkheads.limiterFor(wider));
    assertThat(own.rejected()).isEqualTo(2);

    handled.forEach(exchange -> exchange.passThrough("why"));
    assertThat(own.inFlight()).isZero();
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void releaseThePolicysPermitWhenTheGlobalLimitRejects() {
    handler.handle(new Exchange());
    RequestPolicy roomy =
        terms.compile("logs", new PolicyBulkheads.Limits(5, Duration.ofSeconds(7)), null);
    Exchange refused = exchange(roomy);
    handler.handle(refused);
    assertThat(refused.replies.getFirst().status()).isEqualTo(429);
    assertThat(Objects.requireNonNull(bulkheads.limiterFor(roomy)).inFlight()).isZero();
    assertThat(bulkheads.limiterFor(RequestPolicy.NONE)).isNull();
  }

  @Test
  void releaseThePermitWhenTheHandlerThrows() {
    RequestHandler broken =
        RequestFilter.chain(
            List.of(filter),
            exchange -> {
              throw new StackOverflowError();
            });
    assertThatThrownBy(() -> broken.handle(new Exchange())).isInstanceOf(StackOverflowError.class);
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void releaseThePermitWhenTheRequestPassesThrough() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    handled.getFirst().passThrough("search-pipeline");
    assertThat(exchange.passed).containsExactly("search-pipeline");
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void logTheIdOfAnAdmittedRequest() {
    Exchange exchange = new Exchange();
    handler.handle(exchange);
    handled.getFirst().assignTaskId(1042);
    assertThat(exchange.numbers).containsExactly(1042L);
  }

  @Test
  void rejectBeyondTheLimitLikeOpenSearch() {
    handler.handle(new Exchange());
    Exchange refused = new Exchange();
    handler.handle(refused);
    assertThat(handled).hasSize(1);
    BufferedResponse reply = refused.replies.getFirst();
    assertThat(reply.status()).isEqualTo(429);
    assertThat(reply.headers()).containsExactly(Map.entry("Retry-After", "3"));
    assertThat(recent.find(Long.toString(refused.numbers.getFirst())))
        .hasEntrySatisfying(
            "rejections", why -> assertThat(why).asString().contains("rejected_by=in-flight"));
    String cause =
        "\"type\":\"rejected_execution_exception\",\"reason\":\"rejected by the gateway:"
            + " too_many_requests_in_flight, got 1 in flight (expected: less than 1); retry after 3"
            + " s, or raise admission.max-in-flight\"";
    assertThat(new String(reply.body().toByteArray(), StandardCharsets.UTF_8))
        .isEqualTo("{\"error\":{\"root_cause\":[{" + cause + "}]," + cause + "},\"status\":429}");
    assertThat(admission.inFlight()).isEqualTo(1);
  }
}
