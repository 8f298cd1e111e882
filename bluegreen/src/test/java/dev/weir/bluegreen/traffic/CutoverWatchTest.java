package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRenamer;
import dev.weir.testkit.fixtures.TestPolicies;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which requests a change of the weights releases, and when. */
final class CutoverWatchTest {
  private static final GatewayPolicy POLICY =
      TestPolicies.parse(
          """
          clusters:
            blue: {seeds: ["127.0.0.1:9300"]}
            green: {seeds: ["127.0.0.1:9301"]}
          traffic:
            weights: {blue: 1}
          routes:
            - {name: other, indices: ["o*"], policy: own}
          policies:
            own: {traffic: {weights: {blue: 1, green: 3}}}
          """);

  private final Pinged blue = new Pinged("blue");
  private final Pinged green = new Pinged("green");
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final List<String> released = new ArrayList<>();
  private final ClusterRouter router = router();

  /** A cluster whose answers the test gives. */
  private record Pinged(
      String name, ReleasableRequests releasableRequests, Queue<Consumer<Boolean>> pings)
      implements UpstreamCluster {
    Pinged(String name) {
      this(name, new ReleasableRequests(), new ArrayDeque<>());
    }

    @Override
    public void ping(Duration timeout, Consumer<Boolean> onOutcome) {
      pings.add(onOutcome);
    }

    @Override
    public String unavailableReason() {
      return "not asked for";
    }

    @Override
    public IndexRenamer indexRename() {
      return IndexRenamer.NONE;
    }

    @Override
    public boolean hasNode(String nodeId) {
      return false;
    }

    @Override
    public RequestRouter router() {
      return (method, uri) -> {
        throw new AssertionError("got a request (expected: none)");
      };
    }

    @Override
    public RequestHandler handler() {
      return exchange -> {
        throw new AssertionError("got a request (expected: none)");
      };
    }

    @Override
    public NodeProxy proxy() {
      throw new AssertionError("got a request (expected: none)");
    }
  }

  private ClusterRouter router() {
    ClusterRouter created =
        new ClusterRouter(
            POLICY,
            ClusterRouterTest.ready(POLICY),
            List.of(blue, green),
            () -> 1_000,
            () -> 0,
            Runnable::run);
    created.setCutoverWatch(
        new CutoverWatch(
            List.of(blue, green), (delay, where, action) -> later.add(action), Runnable::run));
    return created;
  }

  private Runnable add(String policy, String name) {
    return blue.releasableRequests().add(policy, Runnable::run, () -> released.add(name));
  }

  private void answer(boolean answered) {
    blue.pings().remove().accept(answered);
  }

  /** Two questions in a row get no answer. */
  private void answerNothing() {
    answer(false);
    later.remove().run();
    answer(false);
  }

  @Test
  void releaseWhatADeadClusterKeepsAfterACutover() {
    add("", "first");
    add("own", "second");
    router.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("green", 1.0), "test");
    answerNothing();
    assertThat(released).containsExactly("first");
    assertThat(router.releasedRequests()).isOne();
    assertThat(blue.releasableRequests().isUnresponsive()).isTrue();
    router.sendAllTo("green", "test");
    later.remove().run();
    answer(false);
    assertThat(released).containsExactly("first", "second");
  }

  @Test
  void releaseNothingAfterASingleQuestionWithoutAnAnswer() {
    add("", "kept");
    router.sendAllTo("green", "test");
    for (int i = 0; i < 3; i++) {
      answer(false);
      assertThat(blue.releasableRequests().isUnresponsive()).isFalse();
      later.remove().run();
      answer(true);
      later.remove().run();
    }
    assertThat(released).isEmpty();
    answerNothing();
    assertThat(released).containsExactly("kept");
  }

  @Test
  void letTheRequestsOfASlowClusterFinish() {
    Runnable end = add("", "slow");
    router.sendAllTo("green", "test");
    for (int i = 0; i < 5; i++) {
      answer(true);
      later.remove().run();
    }
    end.run();
    answer(true);
    later.remove().run();
    assertThat(blue.pings()).as("questions without a request").isEmpty();
    assertThat(released).isEmpty();
  }

  @Test
  void releaseOnlyWhatIsOlderThanTwoQuestions() {
    router.sendAllTo("green", "test");
    assertThat(blue.pings()).isEmpty();
    add("", "old");
    assertThat(blue.pings()).hasSize(1);
    add("", "new");
    answerNothing();
    assertThat(released).containsExactly("old");
    later.remove().run();
    answer(false);
    assertThat(released).containsExactly("old", "new");
    later.remove().run();
    answer(true);
    later.remove().run();
    assertThat(blue.releasableRequests().isUnresponsive()).isFalse();
    assertThat(blue.pings()).isEmpty();
  }

  @Test
  void releaseNothingOnceTheTrafficIsBack() {
    add("", "kept");
    router.sendAllTo("green", "test");
    router.clearOverrides();
    answer(false);
    assertThat(released).isEmpty();
    later.remove().run();
    assertThat(blue.pings()).isEmpty();
    assertThat(blue.releasableRequests().isUnresponsive()).isFalse();
  }

  @Test
  void useAClusterWhoseTrafficIsBackBeforeTheSecondQuestionEnds() {
    add("", "kept");
    router.sendAllTo("green", "test");
    answer(false);
    later.remove().run();
    router.clearOverrides();
    answer(false);
    assertThat(blue.releasableRequests().isUnresponsive()).isFalse();
    assertThat(released).isEmpty();
    later.remove().run();
    assertThat(blue.pings()).isEmpty();
  }

  @Test
  void askNothingWithoutACutover() {
    add("", "one");
    blue.releasableRequests().add("canary", Runnable::run, () -> released.add("two"));
    router.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("blue", 1.0, "green", 9.0), "test");
    assertThat(blue.pings()).isEmpty();
    assertThat(green.pings()).isEmpty();
  }
}
