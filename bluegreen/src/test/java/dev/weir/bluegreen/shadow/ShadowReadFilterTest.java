package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BodySource;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.StreamingResponse;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ShadowReadFilterTest {
  private static final RequestPolicy POLICY =
      new PolicyCompiler<>("any").compile("logs", "any", null);
  private static final String COUNT =
      "{\"count\":%d,\"_shards\":{\"total\":1,\"successful\":1,\"skipped\":0,\"failed\":0}}";

  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private final List<HttpExchange> primary = new ArrayList<>();
  private final List<HttpExchange> shadow = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final AtomicInteger released = new AtomicInteger();
  private boolean reached = true;
  private boolean busy;
  private double drawn;
  private long most = 1 << 20;
  private @Nullable ShadowService desk;

  private final ShadowTarget green =
      new ShadowTarget() {
        @Override
        public String cluster() {
          return "green";
        }

        @Override
        public RequestHandler handler() {
          return shadow::add;
        }

        @Override
        public @Nullable String translateUri(String uri) {
          return uri.startsWith("/blue-only") ? null : uri.replace("/logs/", "/logs-v2/");
        }
      };

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    run();
    awaitCompared();
    assertThat(desk().inFlight()).isZero();
    assertThat(desk().heldBytes()).isZero();
    assertThat(desk().pendingComparisons()).isZero();
    desk().close();
  }

  private ShadowService desk() {
    ShadowService made = desk;
    if (made == null) {
      Executor home = loop::add;
      made =
          new ShadowService(
              name -> reached && name.equals("green") ? green : null,
              most,
              new ShadowEnvironment(
                  () -> busy,
                  new ShadowEnvironment.Execution(
                      () -> home, kept -> RequestMemory.UNBOUNDED, this::after),
                  new ShadowEnvironment.Clocks(System::nanoTime, () -> 0),
                  () -> drawn),
              (policy, different) -> heard.add(policy + " " + different));
      desk = made;
    }
    return made;
  }

  private Runnable after(Duration delay, Executor home, Runnable action) {
    Runnable due = () -> home.execute(action);
    timers.add(due);
    return () -> timers.remove(due);
  }

  private static TestExchange client(String method, String uri, String body) {
    return TestExchange.of(method, uri)
        .body(body)
        .header("Authorization", "Basic eDp5")
        .tenant("acme")
        .policy(POLICY);
  }

  private TestExchange send(String method, String uri, String body) {
    return send(policy("green", 100, 2), method, uri, body);
  }

  private static ShadowPolicy policy(String to, double percent, int most) {
    return new ShadowPolicy(
        to, percent, most, new ByteSize(1000), false, new ShadowPolicy.Tolerances(0.01, 0.99));
  }

  private TestExchange send(ShadowPolicy policy, String method, String uri, String body) {
    TestExchange client = client(method, uri, body);
    new ShadowReadFilter(new ReadSource("blue", "logs"), policy, desk())
        .filter(client, primary::add);
    return client;
  }

  private void run() {
    for (Runnable next = loop.poll(); next != null; next = loop.poll()) {
      next.run();
    }
  }

  private void awaitCompared() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (desk().pendingComparisons() > 0 && System.nanoTime() < end) {
      Thread.sleep(1);
    }
  }

  private BufferedResponse reply(int status, String body) {
    return new BufferedResponse(
        status,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))),
        released::incrementAndGet);
  }

  private static HttpExchange only(List<HttpExchange> exchanges) {
    assertThat(exchanges).hasSize(1);
    return exchanges.getFirst();
  }

  private long shed(ShadowSkipReason why) {
    return desk().report().skips().get(why.ordinal()).count();
  }

  private long notComparable(ComparisonVerdict.Reason why) {
    return desk().report().incomparable().get(why.ordinal()).count();
  }

  private List<String> verdicts() throws InterruptedException {
    awaitCompared();
    return desk().report().verdicts().stream()
        .filter(count -> count.count() > 0)
        .map((Count count) -> count.action() + " " + count.label() + " " + count.count())
        .toList();
  }

  @Test
  void repeatAReadAfterItsResponse() throws InterruptedException {
    TestExchange client = send("POST", "/logs/_count?q=x", "{\"query\":{}}");
    run();
    assertThat(shadow).isEmpty();
    only(primary).respond(reply(200, COUNT.formatted(7)));
    assertThat(client.events()).containsExactly("200 " + COUNT.formatted(7));
    client.body().put(0, (byte) 'X'); // its memory is another request's now
    client.readToEnd();
    assertThat(released).as("given back when the client has it").hasValue(1);
    assertThat(shadow).as("on another loop").isEmpty();
    run();
    HttpExchange repeated = only(shadow);
    assertThat(repeated.method()).isEqualTo("POST");
    assertThat(repeated.uri()).isEqualTo("/logs-v2/_count?q=x");
    assertThat(repeated.headers()).isEqualTo(client.headers());
    assertThat(repeated.policy()).as("trimmed, sampled and timed alike").isSameAs(POLICY);
    assertThat(repeated.tenant()).isEqualTo("acme");
    assertThat(repeated.isInternal()).isTrue();
    assertThat(only(primary).isInternal()).isFalse();
    assertThat(StandardCharsets.UTF_8.decode(repeated.body()).toString())
        .isEqualTo("{\"query\":{}}");
    assertThat(desk().inFlight()).isEqualTo(1);
    assertThat(desk().heldBytes()).isPositive();
    repeated.respond(reply(200, COUNT.formatted(8)));
    run();
    assertThat(released).hasValue(2);
    assertThat(verdicts()).containsExactly("count different 1");
    assertThat(heard).containsExactly("logs true");
    assertThat(desk().report().toMap().toString())
        .contains("POST /logs/_count?q=x")
        .contains("path=count, primary=7, shadow=8");
  }

  @Test
  void copyTheRequestBeforeAnImmediateResponse() throws InterruptedException {
    TestExchange client = client("GET", "/logs/_count", "{}");
    new ShadowReadFilter(new ReadSource("blue", ""), policy("green", 100, 1), desk())
        .filter(client, exchange -> exchange.respond(reply(200, COUNT.formatted(1))));
    client.body().put(0, (byte) 'X');
    client.readToEnd();
    run();
    assertThat(StandardCharsets.UTF_8.decode(only(shadow).body()).toString()).isEqualTo("{}");
    only(shadow).respond(reply(200, COUNT.formatted(1)));
    run();
    assertThat(verdicts()).containsExactly("count same 1");
  }

  @Test
  void leaveUnselectedReadsAlone() {
    send("PUT", "/logs/_doc/1", "{}");
    send(policy("", 100, 1), "GET", "/logs/_count", "");
    send(policy("blue", 100, 1), "GET", "/logs/_count", "");
    drawn = 0.25;
    send(policy("green", 25, 1), "GET", "/logs/_count", "");
    assertThat(primary)
        .allSatisfy(exchange -> assertThat(exchange).isInstanceOf(TestExchange.class));
    drawn = 0.24;
    send(policy("green", 25, 1), "GET", "/logs/_count", "");
    assertThat(primary.getLast()).isNotInstanceOf(TestExchange.class);
    primary.getLast().drop();
    assertThat(shed(ShadowSkipReason.CLIENT_DISCONNECTED)).isEqualTo(1);
  }

  @Test
  void skipReadsBeyondTheMemoryLimit() throws InterruptedException {
    reached = false;
    send("GET", "/logs/_count", "");
    reached = true;
    busy = true;
    send("GET", "/logs/_count", "");
    busy = false;
    send("GET", "/logs/_count", "x".repeat(1001));
    send("GET", "/blue-only/_count", "");
    assertThat(primary)
        .allSatisfy(exchange -> assertThat(exchange).isInstanceOf(TestExchange.class));
    assertThat(shed(ShadowSkipReason.UNREACHABLE)).isEqualTo(1);
    assertThat(shed(ShadowSkipReason.OVERLOAD)).isEqualTo(1);
    assertThat(shed(ShadowSkipReason.LARGE_BODY)).isEqualTo(1);
    assertThat(shed(ShadowSkipReason.UNTRANSLATABLE)).isEqualTo(1);
    primary.clear();

    for (int i = 0; i < 3; i++) {
      send("GET", "/logs/_count", "");
    }
    primary.forEach(exchange -> exchange.respond(reply(200, COUNT.formatted(1))));
    run();
    assertThat(shadow).hasSize(2);
    assertThat(shed(ShadowSkipReason.IN_FLIGHT_LIMIT)).isEqualTo(1);
    shadow.forEach(exchange -> exchange.respond(reply(200, COUNT.formatted(1))));
    run();
    assertThat(verdicts()).containsExactly("count same 2");

    primary.clear();
    send("GET", "/logs/_count", "");
    busy = true;
    only(primary).respond(reply(200, COUNT.formatted(1)));
    assertThat(shed(ShadowSkipReason.OVERLOAD)).isEqualTo(2);
  }

  @Test
  void copiesAreBoundedTogether() {
    most = 400;
    TestExchange client = send("GET", "/logs/_count", "x".repeat(350));
    only(primary).respond(reply(200, "y".repeat(100)));
    client.readToEnd();
    assertThat(client.events()).containsExactly("200 " + "y".repeat(100));
    assertThat(released).hasValue(1);
    assertThat(shed(ShadowSkipReason.MEMORY_LIMIT)).isEqualTo(1);
    primary.clear();
    send("GET", "/logs/_count", "x".repeat(401));
    only(primary).respond(reply(200, "y"));
    assertThat(shed(ShadowSkipReason.MEMORY_LIMIT)).isEqualTo(2);
    run();
    assertThat(shadow).isEmpty();
  }

  @Test
  void compareALongResponseOnlyByStatus() throws InterruptedException {
    send("GET", "/logs/_search", "");
    only(primary).respond(reply(200, "x".repeat(1001)));
    run();
    only(shadow).respond(reply(200, "{}"));
    run();
    assertThat(verdicts()).containsExactly("search not-comparable 1");
    assertThat(notComparable(ComparisonVerdict.Reason.LONG_RESPONSE)).isEqualTo(1);
    primary.clear();
    shadow.clear();
    send("GET", "/logs/_search", "");
    only(primary).respond(reply(200, "x".repeat(1001)));
    run();
    only(shadow).respond(reply(404, "{}"));
    run();
    assertThat(verdicts()).contains("search different 1");
  }

  @Test
  void hideFailuresOfTheOtherCluster() throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      TestExchange client = send(policy("green", 100, 5), "GET", "/logs/_count", "");
      primary.get(i).respond(reply(200, COUNT.formatted(1)));
      client.readToEnd();
      assertThat(client.events()).hasSize(1);
    }
    run();
    shadow.get(0).respond(reply(503, "{}"));
    shadow.get(1).passThrough("unknown-name");
    shadow.get(2).drop();
    List<String> taken = new ArrayList<>();
    shadow.get(3).respond(streamed(taken));
    shadow.get(4).respond(reply(200, COUNT.formatted(1)));
    shadow.get(4).respond(reply(200, COUNT.formatted(2))); // a second response is released
    run();
    assertThat(taken).containsExactly("over", "released");
    assertThat(released).hasValue(8);
    assertThat(verdicts()).containsExactly("count same 1", "count not-comparable 3");
    assertThat(notComparable(ComparisonVerdict.Reason.REJECTED)).isEqualTo(1);
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(1);
    assertThat(heard).containsExactly("logs false");
  }

  private static StreamingResponse streamed(List<String> taken) {
    return new StreamingResponse(
        200,
        "application/x-ndjson",
        List.of(),
        new BodySource() {
          @Override
          public void onStart(Sink taker) {
            taken.add("begun");
          }

          @Override
          public void onWritable() {
            taken.add("resumed");
          }

          @Override
          public void onClosed(boolean complete) {
            taken.add("over");
          }
        },
        () -> taken.add("released"));
  }

  @Test
  void countAFailingHandler() {
    ShadowTarget broken =
        new ShadowTarget() {
          @Override
          public String cluster() {
            return "green";
          }

          @Override
          public RequestHandler handler() {
            return exchange -> {
              throw new IllegalStateException("a defect");
            };
          }
        };
    desk =
        new ShadowService(
            name -> broken,
            most,
            new ShadowEnvironment(
                () -> false,
                new ShadowEnvironment.Execution(
                    () -> loop::add, kept -> RequestMemory.UNBOUNDED, this::after),
                new ShadowEnvironment.Clocks(System::nanoTime, () -> 0),
                () -> 0),
            (policy, different) -> heard.add(policy));
    TestExchange client = send("GET", "/logs/_count", "");
    only(primary).respond(reply(200, COUNT.formatted(1)));
    run();
    assertThat(client.events()).hasSize(1);
    assertThat(shed(ShadowSkipReason.INTERNAL_ERROR)).isEqualTo(1);
    assertThat(timers).isEmpty();
  }

  @Test
  void doNotRepeatRejectedReads() {
    for (int status : new int[] {429, 503, 408}) {
      primary.clear();
      send("GET", "/logs/_count", "");
      only(primary).respond(reply(status, "{}"));
    }
    primary.clear();
    TestExchange client = send("GET", "/logs/_count", "");
    only(primary).passThrough("unknown-name");
    assertThat(client.events()).containsExactly("through unknown-name");
    run();
    assertThat(shadow).isEmpty();
    assertThat(shed(ShadowSkipReason.REJECTED)).isEqualTo(3);
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(1);
  }

  @Test
  void skipResponsesThatLackLostNodes() throws InterruptedException {
    send("GET", "/logs/_count", "");
    only(primary).respond(reply(200, COUNT.formatted(1)));
    run();
    only(shadow).markIncomplete();
    only(shadow).respond(reply(500, "{}"));
    run();
    assertThat(released).as("the shadow's").hasValue(1);
    primary.clear();
    TestExchange client = send("GET", "/logs/_count", "");
    only(primary).markIncomplete();
    only(primary).respond(reply(200, COUNT.formatted(0)));
    run();
    assertThat(client.events()).containsExactly("lost nodes", "200 " + COUNT.formatted(0));
    assertThat(shadow).as("repeated").hasSize(1);
    assertThat(notComparable(ComparisonVerdict.Reason.UNREACHABLE_NODES)).isEqualTo(2);
    assertThat(verdicts()).containsExactly("count not-comparable 2");
    assertThat(heard).as("what spends a budget").isEmpty();
  }

  @Test
  void bindAReadByAnIdInItsBody() {
    send("POST", "/_search", "{\"pit\":{\"id\":\"abc\"}}");
    only(primary).respond(reply(200, "{}"));
    run();
    assertThat(shadow).isEmpty();
    assertThat(shed(ShadowSkipReason.BOUND_TO_CLUSTER)).isEqualTo(1);
  }

  @Test
  void giveUpOnAMissingResponse() throws InterruptedException {
    send("GET", "/logs/_count", "");
    only(primary).respond(reply(200, COUNT.formatted(1)));
    run();
    HttpExchange repeated = only(shadow);
    repeated.onDisconnect(repeated::drop);
    timers.remove().run();
    run();
    assertThat(notComparable(ComparisonVerdict.Reason.NO_RESPONSE_IN_TIME)).isEqualTo(1);
    assertThat(verdicts()).containsExactly("count not-comparable 1");
  }

  @Test
  void stopRunningCopiesOnClose() {
    send("GET", "/logs/_count", "");
    send("GET", "/logs/_count", "");
    primary.get(0).respond(reply(200, COUNT.formatted(1)));
    run();
    HttpExchange repeated = only(shadow);
    repeated.onDisconnect(repeated::drop);
    desk().close();
    run();
    assertThat(desk().inFlight()).isZero();
    primary.get(1).respond(reply(200, COUNT.formatted(1)));
    run();
    assertThat(shadow).hasSize(1);
    assertThat(shed(ShadowSkipReason.SHUTTING_DOWN)).isEqualTo(2);
  }

  @Test
  void keepTheNewestDifferences() throws InterruptedException {
    for (int i = 0; i < ShadowReport.MAX_RECORDED_DIFFERENCES + 3; i++) {
      primary.clear();
      shadow.clear();
      send("GET", "/logs/_count?n=" + i, "");
      only(primary).respond(reply(200, COUNT.formatted(1)));
      run();
      only(shadow).respond(reply(200, COUNT.formatted(2)));
      run();
      awaitCompared();
    }
    List<?> newest =
        (List<?>) Objects.requireNonNull(desk().report().toMap().get("newest_differences"));
    assertThat(newest).hasSize(ShadowReport.MAX_RECORDED_DIFFERENCES);
    assertThat(newest.getFirst().toString())
        .contains("n=" + (ShadowReport.MAX_RECORDED_DIFFERENCES + 2));
    assertThat(newest.getLast().toString()).contains("n=3");
    assertThat(desk().report().compared()).isEqualTo(ShadowReport.MAX_RECORDED_DIFFERENCES + 3);
    assertThat(desk().report().differentComparisons())
        .isEqualTo(ShadowReport.MAX_RECORDED_DIFFERENCES + 3);
  }
}
