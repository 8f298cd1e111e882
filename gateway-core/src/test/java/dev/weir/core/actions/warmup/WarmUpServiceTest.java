package dev.weir.core.actions.warmup;

import static dev.weir.core.actions.warmup.WarmUpStates.INDEX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.config.policy.WarmUpPolicy;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.reduce.round.SearchScope;
import dev.weir.core.reduce.round.SearchScope.IndexFilters;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.weight.NodeWeights;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.cluster.ClusterState;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The warm-up of a new copy, whose node the test plays. */
class WarmUpServiceTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final int SEARCHES = 6;
  private static final ReplyFrame NO_FRAME =
      new ReplyFrame() {
        @Override
        public Map<String, Set<String>> responseHeaders() {
          return Map.of();
        }

        @Override
        public int wireBytes() {
          return 0;
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
      };

  private final Deque<Runnable> timers = new ArrayDeque<>();
  private final Nodes nodes = new Nodes();

  /** Stands still unless a test moves it. */
  private long millis = System.currentTimeMillis();

  private final NodeWeights weights = new NodeWeights(() -> millis, new SplittableRandom(1));
  private final WarmUpStates states = new WarmUpStates("a", "b");
  private long nanos = 1_000_000;
  private boolean unsecured = true;
  private boolean overloaded;
  private final WarmUpService service =
      new WarmUpService(
          policy(true),
          new WarmUpService.WarmUpTargets(
              nodes, weights, REGISTRIES.writeables(), () -> unsecured, () -> overloaded),
          new CoordinationTimers((_, _, action) -> timers.add(action), () -> nanos),
          Runnable::run);

  private static WarmUpPolicy policy(boolean enabled) {
    return new WarmUpPolicy(enabled, Duration.ofSeconds(20), 100, 2, 32);
  }

  /** Nodes that answer when the test says so. */
  private static final class Nodes implements NodeClients {
    private final Deque<ReplyHandler<?>> pending = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();

    @Override
    public @Nullable NodeClient byId(String nodeId) {
      return new NodeClient() {
        @Override
        public NodeEndpoint endpoint() {
          throw new UnsupportedOperationException();
        }

        @Override
        public <R> PendingCall send(NodeCall<R> call, Executor caller, ReplyHandler<R> handler) {
          asked.add(nodeId);
          pending.add(handler);
          return () -> true;
        }

        @Override
        public boolean isConnected() {
          return true;
        }
      };
    }

    @Override
    public Collection<NodeClient> all() {
      return List.of();
    }
  }

  private void rememberSearches() {
    for (int i = 0; i < SEARCHES; i++) {
      nanos += Duration.ofMillis(50).toNanos();
      SearchRequest request =
          new SearchRequest("warm")
              .searchType(SearchType.QUERY_THEN_FETCH)
              .source(new SearchSourceBuilder().query(QueryBuilders.termQuery("f" + i, i)));
      service
          .recentSearches()
          .record(
              new SearchScope(
                  request,
                  List.of(
                      new ShardScope(WarmUpStates.SHARD, new OriginalIndices(request), null, null)),
                  new IndexFilters(Map.of(), Map.of(), Map.of()),
                  ClusterState.EMPTY_STATE));
    }
  }

  private void change(ClusterView before, ClusterView now) {
    service.beforeChange(before, now);
    service.onChange(before, now);
  }

  /** Starts a replica on b; returns it. */
  private ShardCopy startReplica() {
    states.start("a");
    ClusterView before = states.view();
    String id = states.start("b");
    change(before, states.view());
    return new ShardCopy("b", id, false, false, Map.of());
  }

  /** Lets all requests in flight take some time; a timer's action may follow. */
  @SuppressWarnings("unchecked") // the reply of a repeated search is a Boolean
  private void answer(Duration took) {
    nanos += took.toNanos();
    for (int inFlight = nodes.pending.size(); inFlight > 0; inFlight--) {
      ((ReplyHandler<Boolean>) nodes.pending.removeFirst()).onReply(true, NO_FRAME);
    }
  }

  private void fail() {
    nodes
        .pending
        .removeFirst()
        .onFailure(new NodeCallException(Kind.REMOTE, "b", new IllegalStateException("test")));
  }

  private void tick() {
    nanos += Duration.ofMillis(100).toNanos();
    timers.removeFirst().run();
  }

  private void assertRises(ShardCopy copy) {
    assertThat(weights.ofCopy(copy)).isPositive().isLessThan(0.1);
    millis += Duration.ofMinutes(1).toMillis();
    assertThat(weights.ofCopy(copy)).isEqualTo(1);
  }

  @Test
  void holdTheCopyBackUntilItIsWarm() {
    rememberSearches();
    ShardCopy replica = startReplica();
    assertThat(weights.ofCopy(replica)).isZero();
    assertThat(nodes.asked).as("in flight at most").containsExactly("b", "b");
    int round = 1;
    while (service.counts().warming() > 0) {
      answer(Duration.ofMillis(round < 4 ? 80 / round : 20)); // no faster from the fourth on
      round = 1 + nodes.asked.size() / SEARCHES;
      if (nodes.pending.isEmpty() && service.counts().warming() > 0) {
        tick();
      }
      assertThat(nodes.pending).hasSizeLessThanOrEqualTo(2);
      assertThat(nodes.asked).as("rounds").hasSizeLessThan(200 * SEARCHES);
    }
    assertThat(service.counts().ended(WarmUpEnd.STEADY)).isEqualTo(1);
    assertThat(service.counts().requests()).isGreaterThanOrEqualTo(2 * SEARCHES);
    assertRises(replica);
    assertThat(weights.areFull()).isTrue();
    assertThat(nodes.asked).containsOnly("b");
  }

  @Test
  void holdTheCopyBackBeforeRequestsCanUseIt() {
    rememberSearches();
    states.start("a");
    ClusterView before = states.view();
    ShardCopy replica = new ShardCopy("b", states.start("b"), false, false, Map.of());
    service.beforeChange(before, states.view());
    assertThat(weights.ofCopy(replica)).isZero();
    assertThat(nodes.asked).as("before the gateway is connected to its node").isEmpty();
    service.onChange(before, states.view());
    assertThat(nodes.asked).isNotEmpty();
  }

  @Test
  void stayWithinTheRate() {
    rememberSearches();
    startReplica();
    long start = nanos;
    while (service.counts().warming() > 0) {
      int round = nodes.asked.size() / SEARCHES;
      answer(Duration.ofNanos((long) (10e6 * Math.pow(0.6, round)))); // each one faster
      double seconds = (nanos - start) / 1e9;
      assertThat((double) nodes.asked.size()).isLessThanOrEqualTo(12 + 100 * seconds);
      if (nodes.pending.isEmpty()) {
        tick();
      }
      if (nodes.asked.size() > 10 * SEARCHES) {
        service.updatePolicy(policy(false));
      }
    }
    assertThat(nodes.asked).hasSizeGreaterThan(10 * SEARCHES);
  }

  @Test
  void countCallsOfEndedWarmUpsInFlight() {
    rememberSearches();
    startReplica();
    ClusterView before = states.view();
    states.removeCopies("b");
    ClusterView without = states.view();
    change(before, without);
    tick();
    assertThat(service.counts().ended(WarmUpEnd.MOVED)).isEqualTo(1);
    assertThat(timers).isEmpty();
    states.start("b");
    change(without, states.view());
    assertThat(service.counts().warming()).isEqualTo(1);
    assertThat(nodes.pending).as("of the copy that moved away").hasSize(2);
    fail();
    tick();
    assertThat(nodes.pending).as("one of each copy").hasSize(2);
    answer(Duration.ofMillis(1));
    assertThat(nodes.pending).as("of the new copy").hasSize(2);
    assertThat(nodes.asked).hasSize(5).containsOnly("b");
  }

  @Test
  void stopTicksWhileCallsOutlastTheirWarmUp() {
    rememberSearches();
    startReplica();
    service.updatePolicy(policy(false));
    assertThat(nodes.pending).hasSize(2);
    tick();
    assertThat(timers).isEmpty();
    answer(Duration.ofMillis(1));
    assertThat(nodes.pending).isEmpty();
  }

  @Test
  void giveUpAfterFailures() {
    rememberSearches();
    ShardCopy replica = startReplica();
    fail();
    fail();
    tick();
    fail();
    tick();
    assertThat(service.counts().ended(WarmUpEnd.FAILED)).isEqualTo(1);
    assertRises(replica);
  }

  @Test
  void pauseWhileClientsWait() {
    rememberSearches();
    startReplica();
    int asked = nodes.asked.size();
    overloaded = true;
    tick();
    answer(Duration.ofMillis(1));
    tick();
    assertThat(nodes.asked).as("while they wait").hasSize(asked);
    overloaded = false;
    tick();
    assertThat(nodes.asked).as("afterwards").hasSizeGreaterThan(asked);
    assertThat(service.counts().warming()).isEqualTo(1);
  }

  @Test
  void endWhenTheCopyIsNeededOrGone() {
    rememberSearches();
    ShardCopy replica = startReplica();
    overloaded = true;
    for (int ticks = 1; ticks < 20; ticks++) {
      tick();
    }
    assertThat(weights.ofCopy(replica)).as("for less than two seconds").isZero();
    tick();
    assertThat(service.counts().ended(WarmUpEnd.OVERLOADED)).isEqualTo(1);
    assertRises(replica);

    overloaded = false;
    ClusterView before = states.view();
    states.restart("b");
    ClusterView back = states.view();
    change(before, back);
    assertThat(service.counts().warming()).isEqualTo(1);
    states.removeCopies("b");
    change(back, states.view());
    while (service.counts().warming() > 0) {
      tick();
    }
    assertThat(service.counts().ended(WarmUpEnd.MOVED)).isEqualTo(1);
    assertThat(weights.areFull()).isTrue();
  }

  @Test
  void endOnceSearchesBelongToUsers() {
    rememberSearches();
    ShardCopy replica = startReplica();
    unsecured = false;
    int asked = nodes.asked.size();
    tick();
    assertThat(nodes.asked).hasSize(asked);
    assertThat(service.rememberedSearches()).isZero();
    assertThat(service.counts().ended(WarmUpEnd.DISABLED)).isEqualTo(1);
    assertThat(weights.ofCopy(replica)).isEqualTo(1);
  }

  @Test
  void doNothingWhileSwitchedOffOrSecuredOrWithoutSearches() {
    ShardCopy replica = startReplica();
    assertThat(weights.ofCopy(replica)).as("nothing is remembered").isEqualTo(1);
    rememberSearches();
    ClusterView before = states.view();
    states.restart("b");
    unsecured = false;
    change(before, states.view());
    unsecured = true;
    service.updatePolicy(policy(false));
    assertThat(service.rememberedSearches()).isZero();
    rememberSearches();
    change(before, states.view());
    assertThat(nodes.asked).isEmpty();
    assertThat(weights.areFull()).isTrue();
    assertThat(timers).isEmpty();
  }

  @Test
  void switchingOffEndsIt() {
    rememberSearches();
    startReplica();
    service.updatePolicy(policy(false));
    assertThat(service.counts().warming()).isZero();
    assertThat(weights.areFull()).isTrue();
    assertThat(service.counts().ended(WarmUpEnd.DISABLED)).isEqualTo(1);
  }

  @Test
  void forgetDeletedIndices() {
    rememberSearches();
    assertThat(service.rememberedSearches()).isEqualTo(SEARCHES);
    change(states.view(), ClusterView.empty(0));
    assertThat(service.rememberedSearches()).as(INDEX.getName()).isZero();
  }
}
