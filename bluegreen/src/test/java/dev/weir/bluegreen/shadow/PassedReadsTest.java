package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.testkit.client.TestClient;
import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.PassedWatch;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
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
final class PassedReadsTest {
  private static final String COUNT = "{\"count\":%d}";
  private static final SocketAddress SOMEWHERE = InetSocketAddress.createUnresolved("host", 1);
  private static final Map.Entry<String, String> CREDENTIALS =
      Map.entry("Authorization", "Basic eDp5");

  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private final List<HttpExchange> coordinated = new ArrayList<>();
  private final List<SentToNode> sent = new ArrayList<>();
  private RequestRouter.Way way = new RequestRouter.PassThrough("security");
  private double drawn;
  private boolean hasNodes = true;

  private String first = "blue";
  private String target = "green";

  private final ShadowDesk.Target green =
      new ShadowDesk.Target() {
        @Override
        public String cluster() {
          return "green";
        }

        @Override
        public RequestHandler handler() {
          return coordinated::add;
        }

        @Override
        public String uri(String uri) {
          return uri.replace("/logs/", "/logs-v2/");
        }

        @Override
        public ShadowDesk.@Nullable Nodes nodes() {
          return hasNodes
              ? (request, answer) -> {
                SentToNode one = new SentToNode(request, answer);
                sent.add(one);
                return () -> one.stopped = true;
              }
              : null;
        }
      };

  private final ShadowDesk.Target renaming =
      new RenamingTarget(coordinated::add, Objects.requireNonNull(green.nodes()));

  private final ShadowDesk desk =
      new ShadowDesk(
          name -> name.equals("renaming") ? renaming : green,
          5000,
          new ShadowDesk.Surroundings(
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
    assertThat(desk.underWay()).isZero();
    assertThat(desk.held()).isZero();
    assertThat(desk.comparing()).isZero();
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
    while (desk.comparing() > 0 && System.nanoTime() < end) {
      Thread.sleep(1);
    }
  }

  private ShadowPolicy policy(boolean passThrough) {
    return new ShadowPolicy(
        target, 50, 2, new ByteSize(1000), passThrough, new ShadowPolicy.Tolerances(0.01, 0.99));
  }

  private PassedReads router() {
    return new PassedReads(
        new Shadowing.Whose(first, "logs"),
        RequestPolicy.NONE,
        (method, uri) -> way,
        policy(true),
        desk);
  }

  private PassedWatch.@Nullable Onlooker look(
      String method, String uri, List<Map.Entry<String, String>> headers) {
    RequestRouter.PassThrough through = (RequestRouter.PassThrough) router().route(method, uri);
    PassedWatch watch = through.watch();
    return watch == null
        ? null
        : watch.begin(
            new PassedWatch.Head(
                method, uri, uri, "HTTP/1.1", headers, -1, "acme", SOMEWHERE, SOMEWHERE));
  }

  private PassedWatch.Onlooker looked(String method, String uri) {
    return Objects.requireNonNull(look(method, uri, List.of(CREDENTIALS)));
  }

  private static void answer(PassedWatch.Onlooker read, int status, String... parts) {
    read.head(status, "application/json", "");
    for (String part : parts) {
      read.content(ByteBuffer.wrap(part.getBytes(UTF_8)));
    }
    read.end();
  }

  private long shed(Shed why) {
    return desk.report().sheds().get(why.ordinal()).count();
  }

  private long notComparable(Verdict.Reason why) {
    return desk.report().incomparable().get(why.ordinal()).count();
  }

  private List<String> verdicts() throws InterruptedException {
    awaitCompared();
    return desk.report().verdicts().stream()
        .filter(count -> count.count() > 0)
        .map((Count count) -> count.action() + " " + count.what() + " " + count.count())
        .toList();
  }

  @Test
  void aReadThatPassesThroughIsRepeatedAtANodeWithItsCredentials() throws InterruptedException {
    PassedWatch.Onlooker read = looked("POST", "/logs/_count?q=x");
    read.body(ByteBuffer.wrap("{\"query\"".getBytes(UTF_8)));
    read.body(ByteBuffer.wrap(":{}}".getBytes(UTF_8)));
    assertThat(desk.held()).isPositive();
    answer(read, 200, "{\"cou", "nt\":7}");
    assertThat(sent).as("on another loop").isEmpty();
    run();
    assertThat(coordinated).as("with rights of the gateway's own").isEmpty();
    HttpExchange repeated = sent.getFirst().request;
    assertThat(repeated.method()).isEqualTo("POST");
    assertThat(repeated.uri()).isEqualTo("/logs-v2/_count?q=x");
    assertThat(repeated.headers()).containsExactly(CREDENTIALS);
    assertThat(UTF_8.decode(repeated.body()).toString()).isEqualTo("{\"query\":{}}");
    assertThat(repeated.inner()).isTrue();
    assertThat(repeated.policy()).isSameAs(RequestPolicy.NONE);
    assertThat(desk.underWay()).isEqualTo(1);
    sent.getFirst().answer(200, COUNT.formatted(8));
    assertThat(verdicts()).containsExactly("count different 1");
    assertThat(desk.report().show().toString()).contains("path=count, primary=7, shadow=8");
  }

  @Test
  void namesInABodyAreThoseOfTheOtherCluster() {
    target = "renaming";
    PassedWatch.Onlooker read = looked("POST", "/_mget");
    read.body(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"logs\"}]}".getBytes(UTF_8)));
    answer(read, 200, "{}");
    PassedWatch.Onlooker shorter = looked("POST", "/_mget");
    shorter.body(ByteBuffer.wrap("a-long-name ".repeat(80).getBytes(UTF_8)));
    answer(shorter, 200, "{}");
    PassedWatch.Onlooker unsayable = looked("POST", "/_mget");
    unsayable.body(ByteBuffer.wrap("{\"docs\":[{\"_index\":\"*\"}]}".getBytes(UTF_8)));
    answer(unsayable, 200, "{}");
    run();
    assertThat(sent).hasSize(2);
    assertThat(UTF_8.decode(sent.getFirst().request.body()).toString())
        .isEqualTo("{\"docs\":[{\"_index\":\"logs-of-green\"}]}");
    assertThat(sent.getLast().request.body().remaining()).isEqualTo(80);
    sent.forEach(one -> one.answer(200, "{}"));
    assertThat(shed(Shed.UNSAYABLE)).isEqualTo(1);
  }

  @Test
  void aBodyThatWasChangedForTheFirstClusterIsNotRepeated() {
    first = "renaming";
    assertThat(look("POST", "/_mget", List.of())).isNull();
    assertThat(shed(Shed.RENAMED_BODY)).isEqualTo(1);
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
    assertThat(notComparable(Verdict.Reason.UNREADABLE)).isEqualTo(2);
  }

  private void coded(String coding, byte[] body) {
    PassedWatch.Onlooker read = looked("GET", "/logs/_count");
    read.head(200, "application/json", coding);
    read.content(ByteBuffer.wrap(body));
    read.end();
    run();
    sent.getLast().answer(200, COUNT.formatted(7));
  }

  @Test
  void onlyReadsThatAreDrawnAndPassThroughAreLookedAt() {
    assertThat(look("POST", "/logs/_delete_by_query", List.of())).isNull();
    assertThat(look("GET", "/logs/_search?scroll=1m", List.of())).isNull();
    drawn = 0.5;
    assertThat(look("GET", "/logs/_count", List.of())).isNull();
    assertThat(router().late("GET", "/logs/_count", "why").watch()).isNull();
    drawn = 0.49;
    assertThat(router().late("GET", "/logs/_count", "why").watch()).isNotNull();
    assertThat(router().late("GET", "/logs/_count", "why").reason()).isEqualTo("why");
    assertThat(router().large("GET", "/logs/_count").watch()).isNull();
    way = new RequestRouter.Coordinate("search");
    assertThat(router().route("GET", "/logs/_count")).isSameAs(way);
    assertThat(desk.report().sheds()).allMatch(count -> count.count() == 0);
  }

  @Test
  void whatCantBeCopiedIsLeftOut() {
    assertThat(look("POST", "/logs/_count", List.of(Map.entry("Content-Encoding", "gzip"))))
        .isNull();
    assertThat(shed(Shed.CODED_BODY)).isEqualTo(1);
    PassedWatch.Onlooker read = looked("POST", "/logs/_count");
    read.body(ByteBuffer.allocate(600));
    read.body(ByteBuffer.allocate(600));
    assertThat(desk.held()).isZero();
    answer(read, 200, COUNT.formatted(1));
    assertThat(shed(Shed.LONG_BODY)).isEqualTo(1);

    List<PassedWatch.Onlooker> many = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      many.add(looked("POST", "/logs/_count"));
      many.getLast().body(ByteBuffer.allocate(900));
    }
    assertThat(shed(Shed.MEMORY)).isEqualTo(1);
    many.forEach(PassedWatch.Onlooker::gone);
    assertThat(shed(Shed.GONE)).isEqualTo(5);
    run();
    assertThat(sent).isEmpty();
  }

  @Test
  void whoWasRefusedIsNotSentElsewhere() {
    for (int status : new int[] {401, 408, 429, 503}) {
      answer(looked("GET", "/logs/_count"), status, "{}");
    }
    looked("GET", "/logs/_count").broken(429);
    assertThat(shed(Shed.REFUSED)).isEqualTo(5);
    looked("GET", "/logs/_count").broken(502);
    assertThat(notComparable(Verdict.Reason.LOST_NODES)).isEqualTo(1);
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
    assertThat(sent.getLast().answer.content(ByteBuffer.allocate(1001))).isFalse();
    sent.getLast().answer.head(200, "application/json", "");
    sent.getLast().answer.end();
    assertThat(verdicts()).containsExactly("search different 1", "search not-comparable 1");
    assertThat(notComparable(Verdict.Reason.LONG_ANSWER)).isEqualTo(1);
  }

  @Test
  void theStatusIsAllOfAHeadsAnswer() throws InterruptedException {
    PassedWatch.Onlooker read = looked("HEAD", "/logs/_doc/1");
    read.head(200, "application/json", "");
    read.end();
    run();
    sent.getFirst().answer.head(404, "application/json", "");
    sent.getFirst().answer.end();
    assertThat(verdicts()).containsExactly("exists different 1");
  }

  @Test
  void aNodeThatFailsOrIsLateIsNobodysBusiness() throws InterruptedException {
    int[] broken = {429, 502, 503, 504};
    for (int status : broken) {
      answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
      run();
      sent.getLast().answer.broken(status);
    }
    assertThat(notComparable(Verdict.Reason.REFUSED)).isEqualTo(2);
    assertThat(notComparable(Verdict.Reason.LOST_NODES)).isEqualTo(2);
    answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
    run();
    timers.element().run();
    run();
    assertThat(sent.getLast().stopped).isTrue();
    assertThat(notComparable(Verdict.Reason.LATE)).isEqualTo(1);
    sent.getLast().answer(200, "{}"); // too late
    assertThat(verdicts()).containsExactly("count not-comparable 5");
  }

  @Test
  void closingStopsIt() {
    answer(looked("GET", "/logs/_count"), 200, COUNT.formatted(1));
    PassedWatch.Onlooker later = looked("GET", "/logs/_count");
    run();
    desk.close();
    run();
    assertThat(sent.getFirst().stopped).isTrue();
    answer(later, 200, COUNT.formatted(1));
    assertThat(shed(Shed.CLOSING)).isEqualTo(2);
  }

  @Test
  void anIdInTheBodyBindsIt() {
    PassedWatch.Onlooker read = looked("POST", "/_search");
    read.body(ByteBuffer.wrap("{\"pit\":{\"id\":\"abc\"}}".getBytes(UTF_8)));
    answer(read, 200, "{}");
    run();
    assertThat(sent).isEmpty();
    assertThat(shed(Shed.BOUND)).isEqualTo(1);
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
    assertThat(notComparable(Verdict.Reason.PASSED_THROUGH)).isEqualTo(1);
    hasNodes = false;
    coordinated(policy(true), "/logs/_count");
    run();
    coordinated.getLast().passThrough("security");
    run();
    assertThat(notComparable(Verdict.Reason.PASSED_THROUGH)).isEqualTo(2);
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
    assertThat(notComparable(Verdict.Reason.PASSED_THROUGH)).isEqualTo(2);
  }

  @Test
  void aNameThatIsShorterThereIsNoMatterOfTheClients() {
    target = "renaming";
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client = new TestClient("POST", "/_mget", "a-long-name ".repeat(80));
    new Shadowing(new Shadowing.Whose("blue", ""), primary::add, policy(false), desk)
        .handle(client);
    assertThat(desk.held()).isBetween(1L, 500L);
    primary.getFirst().drop();
    assertThat(desk.held()).isZero();
  }

  private void coordinated(ShadowPolicy policy, String uri) {
    coordinated(policy, uri, List.of());
  }

  private void coordinated(
      ShadowPolicy policy, String uri, List<Map.Entry<String, String>> headers) {
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client =
        new TestClient("GET", uri, "").header(CREDENTIALS.getKey(), CREDENTIALS.getValue());
    new Shadowing(new Shadowing.Whose("blue", "logs"), primary::add, policy, desk).handle(client);
    primary
        .getFirst()
        .respond(
            new HttpReply(
                200,
                "application/json",
                headers,
                List.of(ByteBuffer.wrap(COUNT.formatted(7).getBytes(UTF_8))),
                () -> {}));
    client.read();
  }

  @Test
  void aNodeThatCantBeAskedIsADefectOfThatReadAlone() {
    ShadowDesk.Nodes broken =
        (request, answer) -> {
          throw new IllegalStateException("a defect");
        };
    ShadowDesk.Target target =
        new ShadowDesk.Target() {
          @Override
          public String cluster() {
            return "green";
          }

          @Override
          public RequestHandler handler() {
            return exchange -> exchange.passThrough("security");
          }

          @Override
          public ShadowDesk.Nodes nodes() {
            return broken;
          }
        };
    for (Shadowing.By by : List.of(Shadowing.By.NODE, Shadowing.By.EITHER)) {
      desk.answered(
          new Shadowing.Asked(
              ReadKind.COUNT,
              policy(true),
              new Shadowing.Whose("blue", ""),
              new ShadowDesk.Way(target, "/logs/_count"),
              by),
          Objects.requireNonNull(desk.keep(new TestClient("GET", "/logs/_count", ""), target)),
          new SeenAnswer(200, "application/json", new byte[0], 1));
      run();
    }
    assertThat(shed(Shed.FAILED)).isEqualTo(2);
  }

  @Test
  void whatTurnsOutToPassThroughIsDrawnOnItsWay() {
    List<HttpExchange> primary = new ArrayList<>();
    TestClient client = new TestClient("GET", "/logs/_count", "{}");
    new Shadowing(new Shadowing.Whose("blue", ""), primary::add, policy(true), desk).handle(client);
    assertThat(desk.held()).isPositive();
    primary.getFirst().passThrough("search-pipeline");
    assertThat(client.told()).containsExactly("through search-pipeline");
    assertThat(desk.held()).isZero();
    assertThat(notComparable(Verdict.Reason.PASSED_THROUGH)).isZero();
  }
}
