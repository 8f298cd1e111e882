package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.http.intake.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRenamer;
import dev.weir.testkit.fixtures.TestPolicies;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterRouterTest {
  private static final String TWO =
      "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n";
  static final String NODE = "GAMRmn8pTR2wleY03M8p2w";

  private final FakeCluster blue = new FakeCluster("blue");
  private final FakeCluster green = new FakeCluster("green");
  private long nanos;

  static final class FakeCluster implements UpstreamCluster {
    private final String name;
    final List<String> nodes = new ArrayList<>();
    private @Nullable String missing;
    private IndexRenamer rename = IndexRenamer.NONE;

    FakeCluster(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable String unavailableReason() {
      return missing;
    }

    @Override
    public IndexRenamer indexRename() {
      return rename;
    }

    @Override
    public boolean hasNode(String nodeId) {
      return nodes.contains(nodeId);
    }

    @Override
    public RequestRouter router() {
      return (method, uri) -> new RequestRouter.PassThrough("test");
    }

    @Override
    public RequestHandler handler() {
      return exchange -> {
        throw new IllegalStateException("got a request (expected: none)");
      };
    }

    @Override
    public NodeProxy proxy() {
      throw new IllegalStateException("got a request (expected: none)");
    }
  }

  /** Creates request headers of one of many clients. */
  private static TestRequestHead head(
      String method, String uri, Map<String, String> headers, int client) {
    String address = "10.0." + (client >> 8 & 0xff) + "." + (client & 0xff);
    return TestRequestHead.of(method, uri)
        .with(headers)
        .from(new InetSocketAddress(InetAddress.ofLiteral(address), 1));
  }

  static GatewayPolicy policy(String yaml) {
    return TestPolicies.parse(TWO + yaml);
  }

  private ClusterRouter router(String yaml) {
    GatewayPolicy policy = policy(yaml);
    return router(policy, ready(policy));
  }

  private ClusterRouter router(GatewayPolicy policy, RequestPolicies requests) {
    return new ClusterRouter(
        policy, requests, List.of(blue, green), () -> 0, () -> nanos, Runnable::run);
  }

  /** Compiles a policy without any section. */
  static RequestPolicies ready(GatewayPolicy policy) {
    return new PolicyCompiler<>(policy.defaultPolicySettings())
        .compile(policy.defaultPolicySettings(), policy.namedPolicySettings(), null);
  }

  private static void use(ClusterRouter router, String yaml) {
    GatewayPolicy changed = policy(yaml);
    router.apply(changed, ready(changed));
  }

  static String chosen(Destination destination) {
    return ((ClusterDestination) destination).cluster().name();
  }

  private static String read(ClusterRouter router, int client) {
    return chosen(router.select(head("GET", "/logs/_search", Map.of(), client)));
  }

  private static String write(ClusterRouter router, int client) {
    return chosen(router.select(head("PUT", "/logs/_doc/1", Map.of(), client)));
  }

  @Test
  void routeEverythingToTheFirstClusterByDefault() {
    ClusterRouter router = router("");
    assertThat(read(router, 1)).isEqualTo("blue");
    assertThat(write(router, 2)).isEqualTo("blue");
  }

  @Test
  void splitByClientAlikeOnEveryGateway() {
    ClusterRouter router = router("traffic: {weights: {blue: 75, green: 25}}");
    ClusterRouter other = router("traffic: {weights: {green: 25, blue: 75}}");
    Map<String, Integer> drawn = new LinkedHashMap<>();
    for (int client = 0; client < 4000; client++) {
      drawn.merge(read(router, client), 1, Integer::sum);
      assertThat(write(router, client))
          .isEqualTo(read(router, client))
          .isEqualTo(read(other, client));
    }
    assertThat(drawn.getOrDefault("green", 0)).isBetween(900, 1100);
  }

  @Test
  void readsLeaveOutAClusterThatIsNotReachedAndWritesDoNot() {
    ClusterRouter router =
        router("traffic: {weights: {green: 1}, rollback: {target-cluster: blue}}");
    green.missing = "gone";
    assertThat(read(router, 1)).isEqualTo("blue");
    assertThat(write(router, 1)).isEqualTo("green");
    blue.missing = "gone too";
    assertThat(read(router, 1)).isEqualTo("green");
    ClusterRouter alone = router("traffic: {weights: {green: 1}}");
    blue.missing = null;
    assertThat(read(alone, 1)).as("a cluster that nothing names").isEqualTo("green");
  }

  @Test
  void failOverOnlyReads() {
    ClusterRouter router = router("traffic: {weights: {blue: 75, green: 25}}");
    assertThat(elsewhere(router, "GET", "/logs/_search")).isTrue();
    assertThat(elsewhere(router, "POST", "/logs/_search/template")).isTrue();
    assertThat(elsewhere(router, "POST", "/_mget")).isTrue();
    assertThat(elsewhere(router, "GET", "/_cat/indices")).isTrue();
    assertThat(elsewhere(router, "POST", "/_bulk")).isFalse();
    assertThat(elsewhere(router, "POST", "/logs/_update_by_query")).isFalse();
    assertThat(elsewhere(router, "DELETE", "/_search/point_in_time/_all")).isFalse();
    assertThat(elsewhere(router, "POST", "/_plugins/_sql")).isFalse();
    assertThat(elsewhere(router, "PUT", "/_search/pipeline/p")).isFalse();
    blue.missing = "gone";
    green.missing = "gone";
    assertThat(elsewhere(router, "GET", "/logs/_search")).isFalse();
  }

  private static boolean elsewhere(ClusterRouter router, String method, String uri) {
    Destination drawn = router.select(head(method, uri, Map.of(), 1));
    Destination there =
        drawn instanceof BodyRoutedDestination(ClusterDestination otherwise, var _, var _)
            ? otherwise
            : drawn;
    boolean said = there.hasFailoverDestination(method, uri);
    assertThat(there.failoverDestination(method, uri) != null).isEqualTo(said);
    return said;
  }

  @Test
  void routeIdsOfAClusterBackToIt() {
    ClusterRouter router = router("traffic: {canary-header: X-To}");
    green.nodes.add(NODE);
    TestRequestHead task = head("GET", "/_tasks/" + NODE + ":17", Map.of("X-To", "blue"), 1);
    assertThat(chosen(router.select(task))).isEqualTo("green");
    TestRequestHead node = head("GET", "/_nodes/" + NODE + ",x/stats", Map.of(), 1);
    assertThat(chosen(router.select(node))).isEqualTo("green");
    TestRequestHead named = head("GET", "/_cat/indices", Map.of("X-To", "green"), 1);
    assertThat(chosen(router.select(named))).isEqualTo("green");
    TestRequestHead unknown = head("GET", "/_cat/indices", Map.of("X-To", "red"), 1);
    assertThat(chosen(router.select(unknown))).isEqualTo("blue");
  }

  @Test
  void idsAreFoundHoweverTheyAreEncoded() {
    ClusterRouter router = router("");
    String other = "x" + NODE.substring(1);
    blue.nodes.add(other);
    green.nodes.add(NODE);
    String greens = scroll(NODE);
    String blues = scroll(other);
    String unknown = scroll("y" + NODE.substring(1));
    for (String uri :
        List.of(
            "/_search/scroll/%s%%2C%s",
            "/_search/scroll/%s,%s",
            "/_search/scroll?scroll_id=%s%%2c%s",
            "/_search/scroll?x=%%%%&scroll_id=%s%%2C%s")) {
      TestRequestHead mixed = head("DELETE", uri.formatted(greens, blues), Map.of(), 1);
      assertThat(router.select(mixed))
          .as(uri)
          .isInstanceOfSatisfying(
              RejectingDestination.class,
              refused ->
                  assertThat(refused.reason())
                      .startsWith(
                          "got ids that several clusters made: green [" + greens + "]; blue ["));
      TestRequestHead one = head("DELETE", uri.formatted(unknown, greens), Map.of(), 1);
      assertThat(chosen(router.select(one))).as(uri).isEqualTo("green");
    }
    TestRequestHead node = head("GET", "/_nodes/" + NODE + "%2Cx/stats", Map.of(), 1);
    assertThat(chosen(router.select(node))).isEqualTo("green");
  }

  /** Serializes an id as a node does, with its length first. */
  static String scroll(String node) {
    byte[] bytes = ("scrolls\u0016" + node + " and more").getBytes(StandardCharsets.ISO_8859_1);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static Destination post(ClusterRouter router, String uri) {
    return router.select(head("POST", uri, Map.of(), 1).withContentLength(10));
  }

  @Test
  void translateIndexNamesInPathAndQuery() {
    ClusterRouter router = router("traffic: {weights: {green: 1}}");
    green.rename = new IndexRenamer(Map.of("products", "products-v2"));
    assertThat(post(router, "/_bulk?index=products").translateUri("/_bulk?index=products"))
        .isEqualTo("/_bulk?index=products-v2");
    String search = "/_search?%69ndex=products";
    Destination settles = post(router, search);
    assertThat(settles).isInstanceOf(BodyRoutedDestination.class);
    assertThat(settles.translateUri(search)).isEqualTo("/_search?%69ndex=products-v2");
    for (String uri :
        List.of(
            "/_bulk?index=prod*",
            "/_search?x;index=prod*",
            "/_msearch?index=prod*",
            "/_msearch?%73ource=x&source_content_type=application/json",
            "/_msearch?a;source=x")) {
      assertThat(post(router, uri)).as(uri).isInstanceOf(RejectingDestination.class);
    }
    assertThat(chosen(post(router, "/_bulk?%73ource=x"))).as("not read there").isEqualTo("green");
  }

  @Test
  void requireIndexNamesOfTheBodyToBeTranslatable() {
    ClusterRouter router = router("");
    green.rename = new IndexRenamer(Map.of("products", "products-v2"));
    green.nodes.add(NODE);
    BodyRoutedDestination settles = (BodyRoutedDestination) post(router, "/_msearch?index=prod*");
    assertThat(settles.resolver().apply("{}")).isNull();
    assertThat(settles.resolver().apply(NODE + ":1")).isInstanceOf(RejectingDestination.class);
    BodyRoutedDestination sayable =
        (BodyRoutedDestination) post(router, "/_msearch?index=products");
    assertThat(sayable.resolver().apply(NODE + ":1"))
        .isInstanceOfSatisfying(
            ClusterDestination.class, there -> assertThat(chosen(there)).isEqualTo("green"));
  }

  @Test
  void shiftsHoldUntilTheFilesTrafficChanges() {
    String file =
        """
        traffic: {weights: {blue: 1}}
        routes: [{name: a, indices: [a], policy: own}, {name: b, indices: [b], policy: same}]
        policies: {own: {traffic: {weights: {blue: 3, green: 1}}}, same: {traffic: {}}}
        """;
    ClusterRouter router = router(file);
    router.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("green", 1.0), "why");
    assertThat(read(router, 1)).isEqualTo("green");
    assertThat(chosen(router.select(head("GET", "/b/_search", Map.of(), 1)))).isEqualTo("green");
    assertThat(router.plans().get(1).name()).isEqualTo("own");
    assertThat(router.plans().get(1).weights()).containsEntry("blue", 3.0);
    router.overrideWeights("own", Map.of("green", 1.0), "why");
    assertThat(router.plans().get(1).weights()).isEqualTo(Map.of("green", 1.0));
    router.sendAllTo("blue", "why");
    assertThat(router.plans()).allMatch(plan -> plan.weights().equals(Map.of("blue", 1.0)));
    use(router, file + "routing: {algorithm: c3}\n");
    assertThat(router.overrides()).containsOnlyKeys(WeightOverride.SCOPE_ALL);
    use(router, "traffic: {weights: {green: 1}}");
    assertThat(router.overrides()).isEmpty();
    assertThat(read(router, 1)).isEqualTo("green");
  }

  @Test
  void rollBackOnlyThePolicyWithTheSpentBudget() {
    ClusterRouter router =
        router(
            """
            traffic: {weights: {blue: 1}, rollback: {target-cluster: blue, min-requests: 10, max-error-percent: 20}}
            routes: [{name: a, indices: [a], policy: fresh}]
            policies: {fresh: {traffic: {weights: {green: 1}}}}
            """);
    TestRequestHead fresh = head("GET", "/a/_search", Map.of(), 1);
    for (int i = 0; i < 10; i++) {
      assertThat(chosen(router.select(fresh))).isEqualTo("green");
      router.select(fresh).onRequestEnd(i < 3 ? 200 : 502, i >= 3);
    }
    assertThat(chosen(router.select(fresh))).isEqualTo("blue");
    assertThat(router.overrides()).containsOnlyKeys("fresh");
    assertThat(router.budgets().rollbacks()).isOne();
    router.clearOverrides();
    assertThat(chosen(router.select(fresh))).isEqualTo("green");
  }

  /** A search with too many buckets gets 503, as often as its client likes. */
  @Test
  void keepTheWeightsWhenClientsCauseErrors() {
    ClusterRouter router =
        router(
            "traffic: {weights: {green: 1}, canary-header: X-To,"
                + " rollback: {target-cluster: blue, min-requests: 4, max-error-percent: 20}}\n");
    TestRequestHead canary = head("GET", "/a/_search", Map.of("X-To", "green"), 1);
    for (int i = 0; i < 100; i++) {
      router.select(canary).onRequestEnd(503, false);
      router.select(canary).onRequestEnd(500, false);
    }
    assertThat(router.budgets().rollbacks()).isZero();
    assertThat(chosen(router.select(head("GET", "/a/_search", Map.of(), 1)))).isEqualTo("green");
  }

  @Test
  void holdARollBackUntilItsSplitChanges() {
    String file =
        "traffic: {weights: {green: 1}, canary-header: X-To,"
            + " rollback: {target-cluster: blue, min-requests: 4, max-error-percent: 20}}\n";
    ClusterRouter router = router(file);
    TestRequestHead read = head("GET", "/a/_search", Map.of(), 1);
    for (int i = 0; i < 4; i++) {
      router.select(read).onRequestEnd(502, true);
    }
    assertThat(chosen(router.select(read))).isEqualTo("blue");
    TestRequestHead canary = head("GET", "/a/_search", Map.of("X-To", "green"), 1);
    for (int i = 0; i < 12; i++) {
      router.select(canary).onRequestEnd(502, true);
    }
    assertThat(router.budgets().rollbacks()).as("nothing was left to roll back").isOne();
    use(
        router,
        file + "routes: [{name: a, indices: [x], policy: p}]\n" + "policies: {p: {traffic: {}}}\n");
    assertThat(chosen(router.select(read))).isEqualTo("blue");
    use(router, file.replace("green: 1", "green: 2"));
    assertThat(chosen(router.select(read))).isEqualTo("green");
  }

  /** Configurations that differ in every policy section that a test checks. */
  private static String numbered(int number) {
    return """
    routes: [{name: a, indices: [a], policy: own}]
    policies:
      own:
        traffic: {weights: {%s: 1}}
        deadline: {default-read-timeout: %dms}
        coalescing: {max-age: %dms}
    """
        .formatted(number % 2 == 0 ? "blue" : "green", number, number);
  }

  @Test
  void neverMixTwoPoliciesDuringAReload() throws Exception {
    List<GatewayPolicy> files = IntStream.range(1, 9).mapToObj(n -> policy(numbered(n))).toList();
    PolicyCompiler<PolicySettings> compiler =
        new PolicyCompiler<>(files.getFirst().defaultPolicySettings());
    RequestPolicy.Section<DeadlinePolicy> deadlines =
        compiler.register((name, says, before) -> says.deadline());
    RequestPolicy.Section<CoalescingPolicy> coalescings =
        compiler.register((name, says, before) -> says.coalescing());
    GatewayPolicy first = files.getFirst();
    ClusterRouter router =
        router(
            first,
            compiler.compile(first.defaultPolicySettings(), first.namedPolicySettings(), null));
    Destination begun = router.select(head("GET", "/a/_search", Map.of(), 1));
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Set<Long> numbers = ConcurrentHashMap.newKeySet();
      Future<?> reading =
          threads.submit(() -> {
            while (!over.get()) {
              Destination destination = router.select(head("GET", "/a/_search", Map.of(), 1));
              long number = destination.policy().get(deadlines).defaultReadTimeout().toMillis();
              assertThat(destination.policy().get(coalescings).maxAge().toMillis())
                  .isEqualTo(number);
              assertThat(chosen(destination)).isEqualTo(number % 2 == 0 ? "blue" : "green");
              numbers.add(number);
              Thread.onSpinWait();
            }
          });
      for (int i = 0; (i < 2_000 || numbers.size() < 3) && !reading.isDone(); i++) {
        GatewayPolicy next = files.get(i % files.size());
        router.apply(
            next,
            compiler.compile(
                next.defaultPolicySettings(),
                next.namedPolicySettings(),
                router.requestPolicies()));
      }
      over.set(true);
      reading.get();
    }
    assertThat(begun.policy().get(deadlines).defaultReadTimeout().toMillis())
        .as("what began before goes by what it began with")
        .isOne();
  }

  @Test
  void keepARemovedPolicyForARunningRequest() {
    ClusterRouter router = router(numbered(1));
    RequestPolicy own = router.select(head("GET", "/a/_search", Map.of(), 1)).policy();
    use(router, "");
    assertThat(own.name()).isEqualTo("own");
    assertThat(router.select(head("GET", "/a/_search", Map.of(), 1)).policy().name()).isEmpty();
  }
}
