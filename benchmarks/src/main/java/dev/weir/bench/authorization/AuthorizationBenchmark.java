package dev.weir.bench.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.core.actions.authorization.GatewayAuthorization;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestContext;
import dev.weir.protocol.HeaderEncoder;
import dev.weir.rest.ActionExecutor;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.opensearch.Version;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.transport.TransportAddress;

/**
 * Authorizes one search again and again: reads the client's credentials, finds its user and its
 * rights in the caches, and names the user in the calls to nodes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AuthorizationBenchmark {
  /** Calls of one search over ten shards with hits: as many queries, and as many fetches. */
  static final int CALLS = 20;

  /** The index, as a client names it. */
  @Param({"orders-2027-01", "orders-*"})
  public String expression = "orders-*";

  private final ClusterView view = view();
  private final ActionExecutor executor = new LastAction();
  private final BytesStreamOutput frame = new BytesStreamOutput(64 << 10);
  private final HeaderEncoder encoder = new HeaderEncoder();
  private final HttpExchange request = request();
  private final GatewayAuthorization authorization;
  private Map<String, String> headers = Map.of();
  private long executed;

  public AuthorizationBenchmark() {
    RecordedNode node = new RecordedNode();
    authorization =
        new GatewayAuthorization(
            () -> true,
            new GatewayAuthorization.NodeAccess(
                new ClusterViewSource() {
                  @Override
                  public ClusterView current() {
                    return view;
                  }

                  @Override
                  public CompletionStage<ClusterView> refresh(ClusterView stale) {
                    return CompletableFuture.completedFuture(view);
                  }
                },
                node,
                node),
            Set.of(),
            new CoordinationTimers((delay, loop, action) -> {}, System::nanoTime),
            Runnable::run);
  }

  /** A search as OpenSearch Dashboards sends it. */
  private static HttpExchange request() {
    return TestExchange.of("POST", "/orders-*/_search?ignore_unavailable=true")
        .header("host", "weir.example.com:9200")
        .header("user-agent", "opensearch-js/2.13.0 (linux 6.1.0-x64; Node.js v20.18.1)")
        .header("content-type", "application/json")
        .header("content-length", "812")
        .header("accept-encoding", "gzip,deflate")
        .header("connection", "keep-alive")
        .header("x-opaque-id", "7a0b6c1c-64f1-4f5e-bb26-5a4c24b2c1c9")
        .header("authorization", "Basic b3JkZXJzLXJlYWRlcjp3ZWlyLW9yZGVycy1yZWFkZXI=");
  }

  private static ClusterView view() {
    Metadata.Builder metadata = Metadata.builder().clusterUUID("uuid").clusterUUIDCommitted(true);
    for (int month = 1; month <= 10; month++) {
      metadata.put(
          IndexMetadata.builder("orders-2027-%02d".formatted(month))
              .settings(
                  Settings.builder()
                      .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                      .put(IndexMetadata.SETTING_INDEX_UUID, "orders" + month)
                      .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                      .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 1)));
    }
    DiscoveryNode node =
        new DiscoveryNode(
            "node",
            "id",
            new TransportAddress(InetAddress.getLoopbackAddress(), 9300),
            Map.of(),
            Set.of(DiscoveryNodeRole.DATA_ROLE),
            Version.CURRENT);
    ClusterState state =
        ClusterState.builder(new ClusterName("weir"))
            .metadata(metadata)
            .nodes(DiscoveryNodes.builder().add(node).clusterManagerNodeId("id"))
            .build();
    return new ClusterView(state, Map.of(), 0, false);
  }

  /** Authorizes once, so that the caches know the answers. */
  @Setup
  public void fillCaches() throws IOException {
    nameUserInCalls();
    if (executed == 0 || headers.isEmpty()) {
      throw new IllegalStateException("got no authorized search (expected: one)");
    }
  }

  /** Authorizes a search: the caches answer. */
  @Benchmark
  public long authorize() {
    authorization.authenticationFilter().filter(request, this::search);
    return executed;
  }

  /** Authorizes a search, and names its user in each call. */
  @Benchmark
  public long nameUserInCalls() throws IOException {
    authorization.authenticationFilter().filter(request, this::search);
    frame.reset();
    for (int call = 0; call < CALLS; call++) {
      encoder.write(headers, frame);
    }
    return frame.position();
  }

  private void search(HttpExchange authenticated) {
    RequestContext context =
        new RequestContext(
            Runnable::run, 1, Objects.requireNonNull(authenticated.identity()).transportHeaders());
    context.resources().inheritFrom(authenticated);
    authorization
        .authorizationFilter()
        .filter(
            SearchAction.INSTANCE,
            new SearchRequest(expression),
            context,
            ActionListener.<SearchResponse>wrap(
                response -> {},
                failure -> {
                  throw new IllegalStateException(failure);
                }),
            executor);
  }

  /** What follows once a search is authorized. */
  private final class LastAction implements ActionExecutor {
    @Override
    public <Q extends ActionRequest, R extends ActionResponse> void execute(
        ActionType<R> action, Q search, RequestContext context, ActionListener<R> listener) {
      executed++;
      headers = context.transportHeaders();
    }
  }
}
