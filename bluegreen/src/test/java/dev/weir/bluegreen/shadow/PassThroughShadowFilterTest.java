package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RouteFilter;
import dev.weir.testkit.client.TestClient;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads that pass through to a node, and reads that a node of the other cluster answers. */
final class PassThroughShadowFilterTest {
  private static final String COUNT = "{\"count\":%d}";
  private static final SocketAddress SOMEWHERE = InetSocketAddress.createUnresolved("host", 1);
  private static final Map.Entry<String, String> CREDENTIALS =
      Map.entry("Authorization", "Basic eDp5");

  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private final List<HttpExchange> coordinated = new ArrayList<>();
  private final List<CapturedNodeRequest> sent = new ArrayList<>();
  private RequestRouter.Decision way = new RequestRouter.PassThrough("security");
  private double drawn;
  private boolean hasNodes = true;

  private String first = "blue";
  private String target = "green";

  private final ShadowService.Target green =
      new ShadowService.Target() {
        @Override
        public String cluster() {
          return "green";
        }

        @Override
        public RequestHandler handler() {
          return coordinated::add;
        }

        @Override
        public String translateUri(String uri) {
          return uri.replace("/logs/", "/logs-v2/");
        }

        @Override
        public ShadowService.@Nullable PassThroughSender passThroughSender() {
          return hasNodes
              ? (request, answer) -> {
                CapturedNodeRequest one = new CapturedNodeRequest(request, answer);
                sent.add(one);
                return () -> one.stopped = true;
              }
              : null;
        }
      };

  private final ShadowService.Target renaming =
      new RenamingTarget(coordinated::add, Objects.requireNonNull(green.passThroughSender()));

  private final ShadowService desk =
      new ShadowService(
          name -> name.equals("renaming") ? renaming : green,
          5000,
          new ShadowService.Dependencies(
              () -> false,
              () -> loop::add,
              kept -> RequestMemory.UNBOUNDED,
              (Duration delay, Executor home, Runnable action) -> {
                Runnable due = () -> home.execute(action);
                timers.add(due);
                return () -> timers.remove(due);
              },
              System::nanoTime,
              () -> 0,
              () -> drawn),
          (policy, different) -> {});

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    run();
    awaitCompared();
    assertThat(desk.inFlight()).isZero();
    assertThat(desk.heldBytes()).isZero();
    assertThat(desk.pendingComparisons()).isZero();
    assertThat(timers).isEmpty();
    desk.close();
  }

  private void run() {
    for (Runnable next = loop.poll(); next != null; next = loop.poll()) {
      next.run();
    }
  }

  private void awaitCompared() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (desk.pendingComparisons() > 0 && System.nanoTime() < end) {
      Thread.sleep(1);
    }
  }

  private ShadowPolicy policy(boolean passThrough) {
    return new ShadowPolicy(
        target, 50, 2, new ByteSize(1000), passThrough, new ShadowPolicy.Tolerances(0.01, 0.99));
  }

  private RequestRouter router() {
    return RouteFilter.chain(
        (method, uri) -> way,
        List.of(
            new PassThroughShadowFilter(
                new ShadowReadFilter.Source(first, "logs"),
                RequestPolicy.NONE,
                policy(true),
                desk)));
  }

  private PassThroughObserver.@Nullable ExchangeObserver look(
      String method, String uri, List<Map.Entry<String, String>> headers) {
    RequestRouter.PassThrough through = (RequestRouter.PassThrough) router().route(method, uri);
    PassThroughObserver watch = through.observer();
    return watch == null
        ? null
        : watch.observe(
            new PassThroughObserver.Head(
                method, uri, uri, "HTTP/1.1", headers, -1, "acme", SOMEWHERE, SOMEWHERE));
  }

  private PassThroughObserver.ExchangeObserver looked(String method, String uri) {
    return Objects.requireNonNull(look(method, uri, List.of(CREDENTIALS)));
  }

  private static void answer(
      PassThroughObserver.ExchangeObserver read, int status, String... parts) {
    read.onHead(status, "application/json", "");
    for (String part : parts) {
      read.onContent(ByteBuffer.wrap(part.getBytes(UTF_8)));
    }
    read.onComplete();
  }

  private long shed(ShadowSkipReason why) {
    return desk.report().skips().get(why.ordinal()).count();
  }

  private long notComparable(ComparisonVerdict.Reason why) {
    return desk.report().incomparable().get(why.ordinal()).count();
  }

  private List<String> verdicts() throws InterruptedException {
    awaitCompared();
    return desk.report().verdicts().stream()
        .filter(count -> count.count() > 0)
        .map((Count count) -> count.action() + " " + count.label() + " " + count.count())
        .toList();
  }

  @Test
  void aReadThatPassesThroughIsRepeatedAtANodeWithItsCredentials() throws InterruptedException {
    PassThroughObserver.ExchangeObserver read = looked("POST", "/logs/_count?q=x");
    read.onRequestBody(ByteBuffer.wrap("{\"query\"".getBytes(UTF_8)));
    read.onRequestBody(ByteBuffer.wrap(":{}}".getBytes(UTF_8)));
    assertThat(desk.heldBytes()).isPositive();
    answer(read, 200, "{\"cou", "nt\":7}");
    assertThat(sent).as("on another loop").isEmpty();
    run();
    assertThat(coordinated).as("with rights of the gateway's own").isEmpty();
    HttpExchange repeated = sent.getFirst().request;
    assertThat(repeated.method()).isEqualTo("POST");
    assertThat(repeated.uri()).isEqualTo("/logs-v2/_count?q=x");
    assertThat(repeated.headers()).containsExactly(CREDENTIALS);
    assertThat(UTF_8.decode(repeated.body()).toString()).isEqualTo("{\"query\":{}}");
    assertThat(repeated.isInternal()).isTrue();
    assertThat(repeated.policy()).isSameAs(RequestPolicy.NONE);
    assertThat(desk.inFlight()).isEqualTo(1);
    sent.getFirst().answer(200, COUNT.formatted(8));
    assertThat(verdicts()).containsExactly("count different 1");
    assertThat(desk.report().toMap().toString()).contains("path=count, primary=7, shadow=8");
  }

  @Test
  void namesInABodyAreThoseOfTheOtherCluster() {
    target = "renaming";
    PassThroughObserver.ExchangeObserver read = looked("POST", "/_mget");
    read.onRequestBody(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"logs\"}]}".getBytes(UTF_8)));
    answer(read, 200, "{}");
    PassThroughObserver.ExchangeObserver shorter = looked("POST", "/_mget");
    shorter.onRequestBody(ByteBuffer.wrap("a-long-name ".repeat(80).getBytes(UTF_8)));
    answer(shorter, 200, "{}");
    PassThroughObserver.ExchangeObserver unsayable = looked("POST", "/_mget");
    unsayable.onRequestBody(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"*\"}]}".getBytes(UTF_8)));
    answer(unsayable, 200, "{}");
    run();
    assertThat(sent).hasSize(2);
    assertThat(UTF_8.decode(sent.getFirst().request.body()).toString())
        .isEqualTo("{\"docs\":[{\"_index\":\"logs-of-green\"}]}");
    assertThat(sent.getLast().request.body().remaining()).isEqualTo(80);
    sent.forEach(one -> one.answer(200, "{}"));
    assertThat(shed(ShadowSkipReason.UNTRANSLATABLE)).isEqualTo(1);
  }

  @Test
  void aBodyThatWasChangedForTheFirstClusterIsNotRepeated() {
    first = "renaming";
    assertThat(look("POST", "/_mget", List.of())).isNull();
    assertThat(shed(ShadowSkipReason.REWRITTEN_BODY)).isEqualTo(1);
  }

  @Test
  void codedAnswersAreComparedAsTheyWereBefore() throws Exception {
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
      out.write(COUNT.formatted(7).getBytes(UTF_8));
    }
    ByteArrayOutputStream deflate = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(deflate)) {
      out.write(COUNT.formatted(8).getBytes(UTF_8));
    }
    coded("gzip", gzip.toByteArray());
    coded("deflate", deflate.toByteArray());
    coded("gzip", new byte[] {1, 2, 3});
    coded("br", new byte[] {1, 2, 3});
    assertThat(verdicts())
        .containsExactly("count same 1", "count different 1", "count not-comparable 2");
    assertThat(notComparable(ComparisonVerdict.Reason.MALFORMED_RESPONSE)).isEqualTo(2);
  }

  private void coded(String coding, byte[] body) {
    PassThroughObserver.ExchangeObserver read = looked("GET", "/logs/_count");
    read.onHead(200, "application/json", coding);
    read.onContent(ByteBuffer.wrap(body));
    read.onComplete();
    run();
    sent.getLast().answer(200, COUNT.formatted(7));
  }

  @Test
  void onlyReadsThatAreDrawnAndPassThroughAreLookedAt() {
    assertThat(look("POST", "/logs/_delete_by_query", List.of())).isNull();
    assertThat(look("GET", "/logs/_search?scroll=1m", List.of())).isNull();
    drawn = 0.5;
    assertThat(look("GET", "/logs/_count", List.of())).isNull();
    assertThat(router().routeAfterBody("GET", "/logs/_count", "why").observer()).isNull();
    drawn = 0.49;
    assertThat(router().routeAfterBody("GET", "/logs/_count", "why").observer()).isNotNull();
    assertThat(router().routeAfterBody("GET", "/logs/_count", "why").reason()).isEqualTo("why");
    assertThat(router().routeLargeBody("GET", "/logs/_count").observer()).isNull();
    way = new RequestRouter.Coordinate("search");
    assertThat(router().route("GET", "/logs/_count")).isSameAs(way);
    assertThat(desk.report().skips()).allMatch(count -> count.count() == 0);
  }

  @Test
  void whatCantBeCopiedIsLeftOut() {
    assertThat(look("POST", "/logs/_count", List.of(Map.entry("Content-Encoding", "gzip"))))
        .isNull();
    assertThat(shed(ShadowSkipReason.ENCODED_BODY)).isEqualTo(1);
    PassThroughObserver.ExchangeObserver read = looked("POST", "/logs/_count");
    read.onRequestBody(ByteBuffer.allocate(600));
    read.onRequestBody(ByteBuffer.allocate(600));
    assertThat(desk.heldBytes()).isZero();
    answer(read, 200, COUNT.formatted(1));
    assertThat(shed(ShadowSkipReason.LARGE_BODY)).isEqualTo(1);

    List<PassThroughObserver.ExchangeObserver> many = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      many.add(looked("POST", "/logs/_count"));
      many.getLast().onRequestBody(ByteBuffer.allocate(900));
    }
    assertThat(shed(ShadowSkipReason.MEMORY_LIMIT)).isEqualTo(1);
    many.forEach(PassThroughObserver.ExchangeObserver::onDisconnect);
    assertThat(shed(ShadowSkipReason.CLIENT_DISCONNECTED)).isEqualTo(5);
    run();
    assertThat(sent).isEmpty();
  }

  @Test
  void whoWasRefusedIsNotSentElsewhere() {
    for (int status : new int[] {401, 408, 429, 503}) {
      answer(looked("GET", "/logs/_count"), status, "{}");
    }
    looked("GET", "/logs/_count").onFailure(429);
    assertThat(shed(ShadowSkipReason.REJECTED)).isEqualTo(5);
    looked("GET", "/logs/_count").onFailure(502);
    assertThat(notComparable(ComparisonVerdict.Reason.UNREACHABLE_NODES)).isEqualTo(1);
    run();
    assertThat(sent).isEmpty();
  }

  @Test
  void aLongAnswerIsComparedByItsStatusAlone() throws InterruptedException {
    answer(looked("GET", "/logs/_search"), 200, "x".repeat(600), "x".repeat(600));
    run();
    sent.getFirst().answer(403, "{}");
    answer(looked("GET", "/logs/_search"), 200, "{}");
    run();
    assertThat(sent.getLast().answer.onContent(ByteBuffer.allocate(1001))).isFalse();
    sent.getLast().answer.onHead(200, "application/json", "");
    sent.getLast().answer.onComplete();
    assertThat(verdicts()).containsExactly("search different 1", "search not-comparable 1");
    assertThat(notComparable(ComparisonVerdict.Reason.LONG_RESPONSE)).isEqualTo(1);
  }

  @Test
  void theStatusIsAllOfAHeadsAnswer() throws InterruptedException {
    PassThroughObserver.ExchangeObserver read = looked("HEAD", "/logs/_doc/1");
    read.onHead(200, "application/json", "");
    read.onComplete();
    run();
    sent.getFirst().answer.onHead(404, "application/json", "");
    sent.getFirst().answer.onComplete();
    assertThat(verdicts()).containsExactly("exists different 1");
  }

  @Test
  void aNodeThatFailsOrIsLateIsNobodysBusiness() throws InterruptedException {
    int[] broken = {429, 502, 503, 504};
    for (int status : broken) {
      answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
      run();
      sent.getLast().answer.onFailure(status);
    }
    assertThat(notComparable(ComparisonVerdict.Reason.REJECTED)).isEqualTo(2);
    assertThat(notComparable(ComparisonVerdict.Reason.UNREACHABLE_NODES)).isEqualTo(2);
    answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
    run();
    timers.element().run();
    run();
    assertThat(sent.getLast().stopped).isTrue();
    assertThat(notComparable(ComparisonVerdict.Reason.NO_RESPONSE_IN_TIME)).isEqualTo(1);
    sent.getLast().answer(200, "{}"); // too late
    assertThat(verdicts()).containsExactly("count not-comparable 5");
  }

  @Test
  void closingStopsIt() {
    answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
    PassThroughObserver.ExchangeObserver later = looked("GET", "/logs/_count");
    run();
    desk.close();
    run();
    assertThat(sent.getFirst().stopped).isTrue();
    answer(later, 200, COUNT.formatted(1));
    assertThat(shed(ShadowSkipReason.SHUTTING_DOWN)).isEqualTo(2);
  }

  @Test
  void anIdInTheBodyBindsIt() {
    PassThroughObserver.ExchangeObserver read = looked("POST", "/_search");
    read.onRequestBody(ByteBuffer.wrap("{\"pit\":{\"id\":\"abc\"}}".getBytes(UTF_8)));
    answer(read, 200, "{}");
    run();
    assertThat(sent).isEmpty();
    assertThat(shed(ShadowSkipReason.BOUND_TO_CLUSTER)).isEqualTo(1);
  }

  @Test
  void whatWasCoordinatedGoesToANodeWhereThatIsNeeded() throws InterruptedException {
    for (boolean passThrough : new boolean[] {true, false}) {
      coordinated(policy(passThrough), "/logs/_count");
      run();
      coordinated.getLast().passThrough("security");
      run();
    }
    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst().request.headers()).containsExactly(CREDENTIALS);
    sent.getFirst().answer(200, COUNT.formatted(7));
    assertThat(verdicts()).containsExactly("count same 1", "count not-comparable 1");
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(1);
    hasNodes = false;
    coordinated(policy(true), "/logs/_count");
    run();
    coordinated.getLast().passThrough("security");
    run();
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(2);
  }

  /** A node would answer otherwise. */
  @Test
  void anAnswerInAFormOfTheGatewaysIsNotAskedOfANode() {
    coordinated(policy(true), "/logs/_search?columnar=true");
    coordinated(policy(true), "/logs/_search", List.of(Map.entry("X-Weir-Trimmed", "lean")));
    run();
    assertThat(coordinated).hasSize(2);
    coordinated.forEach(exchange -> exchange.passThrough("security"));
    run();
    assertThat(sent).isEmpty();
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isEqualTo(2);
  }

  @Test
  void aNameThatIsShorterThereIsNoMatterOfTheClients() {
    target = "renaming";
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client = new TestClient("POST", "/_mget", "a-long-name ".repeat(80));
    new ShadowReadFilter(new ShadowReadFilter.Source("blue", ""), policy(false), desk)
        .filter(client, primary::add);
    assertThat(desk.heldBytes()).isBetween(1L, 500L);
    primary.getFirst().drop();
    assertThat(desk.heldBytes()).isZero();
  }

  private void coordinated(ShadowPolicy policy, String uri) {
    coordinated(policy, uri, List.of());
  }

  private void coordinated(
      ShadowPolicy policy, String uri, List<Map.Entry<String, String>> headers) {
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client =
        new TestClient("GET", uri, "").header(CREDENTIALS.getKey(), CREDENTIALS.getValue());
    new ShadowReadFilter(new ShadowReadFilter.Source("blue", "logs"), policy, desk)
        .filter(client, primary::add);
    primary
        .getFirst()
        .respond(
            new BufferedResponse(
                200,
                "application/json",
                headers,
                List.of(ByteBuffer.wrap(COUNT.formatted(7).getBytes(UTF_8))),
                () -> {}));
    client.read();
  }

  @Test
  void aNodeThatCantBeAskedIsADefectOfThatReadAlone() {
    ShadowService.PassThroughSender broken =
        (request, answer) -> {
          throw new IllegalStateException("a defect");
        };
    ShadowService.Target target =
        new ShadowService.Target() {
          @Override
          public String cluster() {
            return "green";
          }

          @Override
          public RequestHandler handler() {
            return exchange -> exchange.passThrough("security");
          }

          @Override
          public ShadowService.PassThroughSender passThroughSender() {
            return broken;
          }
        };
    for (ShadowReadFilter.Responder by :
        List.of(ShadowReadFilter.Responder.NODE, ShadowReadFilter.Responder.EITHER)) {
      desk.onResponse(
          new ShadowReadFilter.SelectedRead(
              ReadKind.COUNT,
              policy(true),
              new ShadowReadFilter.Source("blue", ""),
              new ShadowService.Route(target, "/logs/_count"),
              by),
          Objects.requireNonNull(
              desk.copyRequest(new TestClient("GET", "/logs/_count", ""), target)),
          new CapturedResponse(200, "application/json", new byte[0], 1));
      run();
    }
    assertThat(shed(ShadowSkipReason.INTERNAL_ERROR)).isEqualTo(2);
  }

  @Test
  void whatTurnsOutToPassThroughIsDrawnOnItsWay() {
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client = new TestClient("GET", "/logs/_count", "{}");
    new ShadowReadFilter(new ShadowReadFilter.Source("blue", ""), policy(true), desk)
        .filter(client, primary::add);
    assertThat(desk.heldBytes()).isPositive();
    primary.getFirst().passThrough("search-pipeline");
    assertThat(client.told()).containsExactly("through search-pipeline");
    assertThat(desk.heldBytes()).isZero();
    assertThat(notComparable(ComparisonVerdict.Reason.PASSED_THROUGH)).isZero();
  }
}
