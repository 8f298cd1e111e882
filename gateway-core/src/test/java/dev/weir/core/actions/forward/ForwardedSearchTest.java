package dev.weir.core.actions.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.core.actions.forward.SearchForwarder.ForwardingMode;
import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.CopyAttempts;
import dev.weir.core.coordinate.NodeCapacity;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchSecurityException;
import org.opensearch.Version;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker.Durability;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.io.stream.NotSerializableExceptionWrapper;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.transport.RemoteTransportException;

/** A search of a multi-search that a node coordinates. */
class ForwardedSearchTest {
  private static final CircuitBreakingException FULL =
      new CircuitBreakingException("full", Durability.TRANSIENT);

  private final RequestContext context = new RequestContext(Runnable::run, 7, Map.of());
  private final Nodes nodes = new Nodes();
  private final ForwardedSearchCounts counts = new ForwardedSearchCounts();
  private final List<SearchResponse> responses = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();
  private final SearchForwarder forwarder = createForwarder();

  private record Sent(String nodeId, NodeCall<?> call, ReplyHandler<?> handler) {}

  /** Three nodes, whose calls the test answers. */
  private static final class Nodes implements NodeSender, ClusterViewSource {
    private final List<Sent> sent = new ArrayList<>();
    private final ClusterView view = threeNodes();

    @Override
    public <R> PendingCall send(
        String nodeId,
        NodeCallType work,
        NodeCall<R> call,
        RequestContext context,
        @Nullable LoadFeedback<R> loadFeedback,
        ReplyHandler<R> handler) {
      throw new AssertionError("got a call that counts as load of shards");
    }

    @Override
    public <R> PendingCall sendUntracked(
        String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
      sent.add(new Sent(nodeId, call, handler));
      return () -> true;
    }

    @Override
    public ClusterView current() {
      return view;
    }

    @Override
    public CompletionStage<ClusterView> refresh(ClusterView stale) {
      return CompletableFuture.completedFuture(view);
    }

    List<String> asked() {
      return sent.stream().map(Sent::nodeId).toList();
    }
  }

  private SearchForwarder createForwarder() {
    return new SearchForwarder(
        CoordinationServices.create(
            nodes,
            nodes,
            new CoordinationTimers((_, _, _) -> {}, () -> 0L),
            CopyAttempts.inPlanOrder(AttemptPolicy.RETRY_ONLY),
            NodeCapacity.unbounded()),
        new ReduceServices(
            OpenSearchRegistries.create(), new NoopCircuitBreaker("request"), Runnable::run),
        counts);
  }

  private static ClusterView threeNodes() {
    DiscoveryNodes.Builder all = DiscoveryNodes.builder();
    Map<String, NodeEndpoint> endpoints = new HashMap<>();
    for (String id : List.of("a", "b", "c")) {
      InetAddress host = InetAddress.getLoopbackAddress();
      int port = 9300 + endpoints.size();
      all.add(
          new DiscoveryNode(
              id,
              id,
              new TransportAddress(host, port),
              Map.of(),
              Set.of(DiscoveryNodeRole.DATA_ROLE),
              Version.CURRENT));
      endpoints.put(
          id,
          new NodeEndpoint(
              id, "e1", id, new InetSocketAddress(host, port), null, Set.of(), Map.of(), "3.8.0"));
    }
    ClusterState state = ClusterState.builder(new ClusterName("test")).nodes(all).build();
    return new ClusterView(state, endpoints, 0, false);
  }

  private void forward(boolean isAlone) {
    forwarder.forward(
        new SearchRequest("i"),
        context,
        new ForwardingMode(SearchCaller.create("gateway", 9, context), "script", isAlone, false),
        ActionListener.wrap(responses::add, failures::add));
  }

  private void fail(Kind kind, Exception cause) {
    Sent last = nodes.sent.getLast();
    last.handler().onFailure(new NodeCallException(kind, last.nodeId(), cause));
  }

  private void failRemotely(Exception cause) {
    fail(Kind.REMOTE, new RemoteTransportException("node", cause));
  }

  @Test
  void sendTheSearchActionAndCountIt() {
    forward(false);
    assertThat(nodes.sent.getFirst().call().action()).isEqualTo(SearchAction.NAME);
    assertThat(counts.searches("script")).isEqualTo(1);
  }

  @Test
  void spreadSearchesOverTheNodes() {
    forward(false);
    forward(false);
    forward(false);
    assertThat(nodes.asked()).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void sortByCountsThatOtherEventLoopsChange() {
    List<String> ids = IntStream.range(0, 64).mapToObj(i -> "n" + i).toList();
    Random changing = TestSeed.random(ForwardedSearchTest.class);
    for (int i = 0; i < 1000; i++) {
      assertThat(LeastBusyNodes.leastFirst(ids, _ -> changing.nextInt(4)))
          .containsExactlyInAnyOrderElementsOf(ids);
    }
    assertThat(LeastBusyNodes.leastFirst(List.of("a", "b", "c"), id -> id.equals("a") ? 1 : 0))
        .containsExactly("b", "c", "a");
  }

  @Test
  void tryOtherNodesWhereOneIsFullOrLost() {
    forward(false);
    failRemotely(FULL);
    fail(Kind.CONNECTION_LOST, new IllegalStateException("lost"));
    failRemotely(FULL);
    assertThat(nodes.asked()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(failures).as("postponed until it runs alone").containsExactly(FULL);
    assertThat(counts.retries()).isEqualTo(2);
  }

  @Test
  void respondWithANodesRejectionOnceAlone() {
    forward(true);
    failRemotely(FULL);
    assertThat(nodes.sent).hasSize(1);
    assertThat(failures).singleElement().isInstanceOf(RemoteTransportException.class);
  }

  @Test
  void respondWithTheNodesFailureAsTheNodeShowsIt() {
    IllegalArgumentException bad = new IllegalArgumentException("compile error");
    forward(false);
    failRemotely(bad);
    assertThat(failures).containsExactly(bad);
    assertThat(nodes.sent).hasSize(1);
  }

  @Test
  void passThroughWhereTheTransportChangedTheFailure() {
    forward(false);
    failRemotely(
        new IllegalArgumentException(
            new NotSerializableExceptionWrapper(new ArithmeticException("/ by zero"))));
    assertThat(failures).singleElement().isInstanceOf(PassThroughException.class);
    assertThat(counts.fallbacks()).isEqualTo(1);
  }

  @Test
  void passThroughWithoutMemoryForTheReply() {
    forward(false);
    fail(Kind.OVER_BUDGET, FULL);
    forward(true);
    fail(Kind.OVER_BUDGET, FULL);
    assertThat(failures).hasSize(2).first().isEqualTo(FULL);
    assertThat(failures.getLast()).isInstanceOf(PassThroughException.class).hasMessage("memory");
  }

  @Test
  void stopForwardingToNodesThatAuthorize() {
    assertThat(forwarder.canForward(context)).isTrue();
    forward(false);
    failRemotely(new OpenSearchSecurityException("No user found"));
    assertThat(failures).singleElement().isInstanceOf(PassThroughException.class);
    assertThat(forwarder.canForward(context)).isFalse();
  }

  @Test
  void keepRequestsForAFormatOfTheGatewayWhole() {
    context.search().requireOwnFormat();
    assertThat(forwarder.canForward(context)).isFalse();
  }

  @Test
  void cancelTheNodesSearchWithTheRequest() {
    forward(false);
    context.cancel("the client left");
    assertThat(nodes.sent).hasSize(2);
    assertThat(nodes.sent.getLast().call().action()).contains("ban");
    assertThat(nodes.asked().getLast()).isEqualTo(nodes.asked().getFirst());
  }
}
