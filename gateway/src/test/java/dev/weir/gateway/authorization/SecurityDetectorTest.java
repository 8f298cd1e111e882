package dev.weir.gateway.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.config.policy.ClusterPolicy.Authorization;
import dev.weir.model.NodeEndpoint;
import dev.weir.routing.weight.NodeWeights;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SecurityDetectorTest {
  private final Map<InetSocketAddress, ProbeResult> answers = new ConcurrentHashMap<>();
  private final ClusterAuthorization authorization =
      ClusterAuthorization.of("main", Authorization.DETECT);
  private final SecurityDetector detector =
      new SecurityDetector(
          authorization,
          new SecurityDetector.ConfiguredFacts(false, false, new KnownPlugins(Set.of())),
          address -> CompletableFuture.completedFuture(answers.get(address)),
          System::nanoTime);
  private ClusterView view = ClusterView.empty(0);
  private final RestTargets targets =
      new RestTargets(
          new ClusterViewSource() {
            @Override
            public ClusterView current() {
              return view;
            }

            @Override
            public CompletionStage<ClusterView> refresh(ClusterView stale) {
              throw new AssertionError("got a refresh (expected: none)");
            }
          },
          new NodeWeights(System::currentTimeMillis, new SplittableRandom(1)),
          authorization,
          detector);

  private List<InetSocketAddress> targets() {
    return targets.get();
  }

  @AfterEach
  void close() {
    detector.close();
  }

  private static InetSocketAddress rest(int node) {
    return new InetSocketAddress("127.0.0.1", 9200 + node);
  }

  private static NodeEndpoint node(int number, String start, Set<String> plugins) {
    InetSocketAddress transport = new InetSocketAddress("127.0.0.1", 9300 + number);
    return new NodeEndpoint(
        "id" + number,
        start,
        "node-" + number,
        transport,
        rest(number),
        Set.of("data"),
        Map.of(),
        "3.8.0",
        Map.of(),
        plugins);
  }

  private void follow(NodeEndpoint... nodes) {
    Map<String, NodeEndpoint> byId = new ConcurrentHashMap<>();
    for (NodeEndpoint node : nodes) {
      byId.put(node.id(), node);
    }
    ClusterView before = view;
    view = new ClusterView(ClusterStates.ofNodes(1).view().state(), byId, 0, false);
    detector.onChange(before, view);
  }

  private void awaitMode(AuthorizationMode mode) {
    awaitTrue(() -> authorization.mode() == mode);
  }

  private static void awaitTrue(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).as("nanoseconds past the deadline").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void coordinateAfterEachNodeWasProbed() {
    answers.put(rest(1), ProbeResult.Open.SERVED);
    follow(node(1, "a", Set.of("weir-data-node")));
    awaitMode(AuthorizationMode.NONE);
    awaitTrue(() -> !detector.isSettling()); // the prober sets the mode before
    assertThat(targets()).containsExactly(rest(1));
  }

  @Test
  void probeANodeThatRestarted() {
    answers.put(rest(1), ProbeResult.Open.SERVED);
    follow(node(1, "a", Set.of()));
    awaitMode(AuthorizationMode.NONE);

    answers.put(rest(1), new ProbeResult.Secured(401));
    follow(node(1, "b", Set.of()));
    assertThat(authorization.mode()).isEqualTo(AuthorizationMode.DELEGATE);
    awaitTrue(() ->
        authorization
            .state()
            .reason()
            .equals("node node-1 answered 401 to a request without credentials"));
  }

  @Test
  void probeANodeThatJoined() {
    answers.put(rest(1), ProbeResult.Open.SERVED);
    answers.put(rest(2), new ProbeResult.Secured(403));
    follow(node(1, "a", Set.of()));
    awaitMode(AuthorizationMode.NONE);
    follow(node(1, "a", Set.of()), node(2, "b", Set.of()));
    awaitMode(AuthorizationMode.DELEGATE);
  }

  @Test
  void letOnlyNodesThatAskForCredentialsCheckThem() {
    answers.put(rest(1), ProbeResult.Open.SERVED);
    answers.put(rest(2), new ProbeResult.Secured(401));
    follow(node(1, "a", Set.of()), node(2, "b", Set.of()));
    awaitTrue(() -> targets().size() == 1);
    assertThat(targets()).containsExactly(rest(2));
    assertThat(targets()).as("computed once").isSameAs(targets());
  }

  @Test
  void delegateAtOnceWhenAPluginIsUnknown() {
    answers.put(rest(1), ProbeResult.Open.SERVED);
    follow(node(1, "a", Set.of()));
    awaitMode(AuthorizationMode.NONE);
    follow(node(1, "a", Set.of()), node(2, "b", Set.of("readonlyrest")));
    assertThat(authorization.mode()).isEqualTo(AuthorizationMode.DELEGATE);
  }

  @Test
  void waitForNodesWhoseAddressIsNotKnownYet() {
    NodeEndpoint known = node(1, "a", Set.of());
    NodeEndpoint joining =
        new NodeEndpoint(
            known.id(),
            known.ephemeralId(),
            known.name(),
            known.transport(),
            null,
            known.roles(),
            known.attributes(),
            known.version());
    follow(joining);
    assertThat(detector.isSettling()).isTrue();
    answers.put(rest(1), ProbeResult.Open.SERVED);
    follow(known);
    awaitMode(AuthorizationMode.NONE);
  }

  @Test
  void waitForTheFirstAnswers() {
    SecurityDetector waiting =
        new SecurityDetector(
            authorization,
            new SecurityDetector.ConfiguredFacts(false, false, new KnownPlugins(Set.of())),
            address -> new CompletableFuture<>(),
            System::nanoTime);
    assertThat(waiting.isSettling()).isFalse();
    waiting.onChange(
        view,
        new ClusterView(
            ClusterStates.ofNodes(1).view().state(),
            Map.of("id1", node(1, "a", Set.of())),
            0,
            false));
    assertThat(waiting.isSettling()).isTrue();
    assertThat(authorization.mode()).isEqualTo(AuthorizationMode.DELEGATE);
    waiting.close();
  }
}
