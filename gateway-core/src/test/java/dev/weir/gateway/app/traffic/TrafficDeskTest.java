package dev.weir.gateway.app.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.http.Destination;
import dev.weir.gateway.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRename;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TrafficDeskTest {
  private static final String TWO =
      "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n";
  private static final String NODE = "GAMRmn8pTR2wleY03M8p2w";

  private final FakeCluster blue = new FakeCluster("blue");
  private final FakeCluster green = new FakeCluster("green");
  private long nanos;

  private static final class FakeCluster implements Cluster {
    private final String name;
    private final List<String> nodes = new ArrayList<>();
    private @Nullable String missing;

    FakeCluster(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public @Nullable String missing() {
      return missing;
    }

    @Override
    public IndexRename rename() {
      return IndexRename.NONE;
    }

    @Override
    public boolean has(String nodeId) {
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

  private record Head(String method, String uri, Map<String, String> headers, int address)
      implements RequestHead {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }

    @Override
    public List<String> headers(String name) {
      String value = headers.get(name);
      return value == null ? List.of() : List.of(value);
    }

    @Override
    public long arrivedNanos() {
      return 0;
    }

    @Override
    public SocketAddress remoteAddress() {
      try {
        byte[] ip = {10, 0, (byte) (address >> 8), (byte) address};
        return new InetSocketAddress(InetAddress.getByAddress(ip), 1);
      } catch (java.net.UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public long bodyBytes() {
      return 0;
    }
  }

  private static GatewayPolicy policy(String yaml) {
    return switch (new PolicyLoader(Map.of()).parse("weir.yaml", TWO + yaml)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Refused refused -> throw new AssertionError(refused.render());
    };
  }

  private TrafficDesk desk(String yaml) {
    return new TrafficDesk(
        policy(yaml), List.of(blue, green), TrafficDesk.ReadWatcher.NONE, () -> 0, () -> nanos);
  }

  private static String chosen(Destination destination) {
    return ((ChosenCluster) destination).cluster().name();
  }

  private static String read(TrafficDesk desk, int client) {
    return chosen(desk.of(new Head("GET", "/logs/_search", Map.of(), client)));
  }

  private static String write(TrafficDesk desk, int client) {
    return chosen(desk.of(new Head("PUT", "/logs/_doc/1", Map.of(), client)));
  }

  @Test
  void everythingGoesToTheFirstClusterOfAFileThatSaysNothing() {
    TrafficDesk desk = desk("");
    assertThat(read(desk, 1)).isEqualTo("blue");
    assertThat(write(desk, 2)).isEqualTo("blue");
  }

  @Test
  void weightsAreKeptByClientsAndAlikeOnEveryGateway() {
    TrafficDesk desk = desk("traffic: {weights: {blue: 75, green: 25}}");
    TrafficDesk other = desk("traffic: {weights: {green: 25, blue: 75}}");
    Map<String, Integer> drawn = new LinkedHashMap<>();
    for (int client = 0; client < 4000; client++) {
      drawn.merge(read(desk, client), 1, Integer::sum);
      assertThat(write(desk, client)).isEqualTo(read(desk, client)).isEqualTo(read(other, client));
    }
    assertThat(drawn.getOrDefault("green", 0)).isBetween(900, 1100);
  }

  @Test
  void readsLeaveOutAClusterThatIsNotReachedAndWritesDoNot() {
    TrafficDesk desk = desk("traffic: {weights: {green: 1}, rollback: {to: blue}}");
    green.missing = "gone";
    assertThat(read(desk, 1)).isEqualTo("blue");
    assertThat(write(desk, 1)).isEqualTo("green");
    blue.missing = "gone too";
    assertThat(read(desk, 1)).isEqualTo("green");
    TrafficDesk alone = desk("traffic: {weights: {green: 1}}");
    blue.missing = null;
    assertThat(read(alone, 1)).as("a cluster that nothing names").isEqualTo("green");
  }

  @Test
  void onlyReadsMayBeAnsweredByAnotherCluster() {
    TrafficDesk desk = desk("traffic: {weights: {blue: 75, green: 25}}");
    assertThat(elsewhere(desk, "GET", "/logs/_search")).isTrue();
    assertThat(elsewhere(desk, "POST", "/logs/_search/template")).isTrue();
    assertThat(elsewhere(desk, "POST", "/_mget")).isTrue();
    assertThat(elsewhere(desk, "GET", "/_cat/indices")).isTrue();
    assertThat(elsewhere(desk, "POST", "/_bulk")).isFalse();
    assertThat(elsewhere(desk, "POST", "/logs/_update_by_query")).isFalse();
    assertThat(elsewhere(desk, "DELETE", "/_search/point_in_time/_all")).isFalse();
    assertThat(elsewhere(desk, "POST", "/_plugins/_sql")).isFalse();
    blue.missing = "gone";
    green.missing = "gone";
    assertThat(elsewhere(desk, "GET", "/logs/_search")).isFalse();
  }

  private static boolean elsewhere(TrafficDesk desk, String method, String uri) {
    Destination drawn = desk.of(new Head(method, uri, Map.of(), 1));
    Destination there = drawn instanceof ByBody(ChosenCluster otherwise, var _) ? otherwise : drawn;
    boolean said = there.replaceable(method, uri);
    assertThat(there.standby(method, uri) != null).isEqualTo(said);
    return said;
  }

  @Test
  void whatOneClusterMadeGoesThereFirst() {
    TrafficDesk desk = desk("traffic: {canary-header: X-To}");
    green.nodes.add(NODE);
    Head task = new Head("GET", "/_tasks/" + NODE + ":17", Map.of("X-To", "blue"), 1);
    assertThat(chosen(desk.of(task))).isEqualTo("green");
    Head node = new Head("GET", "/_nodes/" + NODE + ",x/stats", Map.of(), 1);
    assertThat(chosen(desk.of(node))).isEqualTo("green");
    Head named = new Head("GET", "/_cat/indices", Map.of("X-To", "green"), 1);
    assertThat(chosen(desk.of(named))).isEqualTo("green");
    Head unknown = new Head("GET", "/_cat/indices", Map.of("X-To", "red"), 1);
    assertThat(chosen(desk.of(unknown))).isEqualTo("blue");
  }

  @Test
  void shiftsHoldUntilTheFilesTrafficChanges() {
    String file =
        """
        traffic: {weights: {blue: 1}}
        routes: [{name: a, indices: [a], policy: own}, {name: b, indices: [b], policy: same}]
        policies: {own: {traffic: {weights: {blue: 3, green: 1}}}, same: {traffic: {}}}
        """;
    TrafficDesk desk = desk(file);
    desk.shift(Shift.STANDARD, Map.of("green", 1.0), "why");
    assertThat(read(desk, 1)).isEqualTo("green");
    assertThat(chosen(desk.of(new Head("GET", "/b/_search", Map.of(), 1)))).isEqualTo("green");
    assertThat(desk.plans().get(1).name()).isEqualTo("own");
    assertThat(desk.plans().get(1).weights()).containsEntry("blue", 3.0);
    desk.shift("own", Map.of("green", 1.0), "why");
    assertThat(desk.plans().get(1).weights()).isEqualTo(Map.of("green", 1.0));
    desk.cutOver("blue", "why");
    assertThat(desk.plans()).allMatch(plan -> plan.weights().equals(Map.of("blue", 1.0)));
    desk.use(policy(file + "routing: {policy: c3}\n"));
    assertThat(desk.shifts()).containsOnlyKeys(Shift.ALL);
    desk.use(policy("traffic: {weights: {green: 1}}"));
    assertThat(desk.shifts()).isEmpty();
    assertThat(read(desk, 1)).isEqualTo("green");
  }

  @Test
  void aSpentBudgetMovesItsPolicyAlone() {
    TrafficDesk desk =
        desk(
            """
            traffic: {weights: {blue: 1}, rollback: {to: blue, min-requests: 10, max-errors: 20}}
            routes: [{name: a, indices: [a], policy: fresh}]
            policies: {fresh: {traffic: {weights: {green: 1}}}}
            """);
    Head fresh = new Head("GET", "/a/_search", Map.of(), 1);
    for (int i = 0; i < 10; i++) {
      assertThat(chosen(desk.of(fresh))).isEqualTo("green");
      desk.of(fresh).over(i < 3 ? 200 : 500);
    }
    assertThat(chosen(desk.of(fresh))).isEqualTo("blue");
    assertThat(desk.shifts()).containsOnlyKeys("fresh");
    assertThat(desk.budgets().rolledBack()).isOne();
    desk.reset();
    assertThat(chosen(desk.of(fresh))).isEqualTo("green");
  }

  @Test
  void aRollBackHoldsUntilItsOwnSplitChangesAndIsDoneOnce() {
    String file =
        "traffic: {weights: {green: 1}, canary-header: X-To,"
            + " rollback: {to: blue, min-requests: 4, max-errors: 20}}\n";
    TrafficDesk desk = desk(file);
    Head read = new Head("GET", "/a/_search", Map.of(), 1);
    for (int i = 0; i < 4; i++) {
      desk.of(read).over(500);
    }
    assertThat(chosen(desk.of(read))).isEqualTo("blue");
    Head canary = new Head("GET", "/a/_search", Map.of("X-To", "green"), 1);
    for (int i = 0; i < 12; i++) {
      desk.of(canary).over(500);
    }
    assertThat(desk.budgets().rolledBack()).as("nothing was left to roll back").isOne();
    desk.use(
        policy(
            file
                + "routes: [{name: a, indices: [x], policy: p}]\n"
                + "policies: {p: {traffic: {}}}\n"));
    assertThat(chosen(desk.of(read))).isEqualTo("blue");
    desk.use(policy(file.replace("green: 1", "green: 2")));
    assertThat(chosen(desk.of(read))).isEqualTo("green");
  }
}
