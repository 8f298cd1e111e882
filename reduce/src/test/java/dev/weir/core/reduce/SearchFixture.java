package dev.weir.core.reduce;

import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.core.reduce.round.SearchScope;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.UUIDs;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.internal.ShardSearchContextId;

/** Builds the parts of tests of search work. */
public final class SearchFixture {
  static final String[] NODES = {"n0", "n1", "n2"};

  private SearchFixture() {}

  public static ClusterState state() {
    DiscoveryNodes.Builder nodes = DiscoveryNodes.builder();
    int port = 9300;
    for (String node : NODES) {
      nodes.add(
          new DiscoveryNode(
              node,
              node,
              new TransportAddress(TransportAddress.META_ADDRESS, port++),
              Map.of(),
              Set.of(),
              Version.CURRENT));
    }
    return ClusterState.builder(new ClusterName("test")).nodes(nodes).build();
  }

  public static ShardId shard(int number) {
    return new ShardId(new Index("docs", "uuid"), number);
  }

  public static SearchScope scope(SearchRequest request, int shards) {
    if (request.allowPartialSearchResults() == null) {
      request.allowPartialSearchResults(true);
    }
    OriginalIndices indices =
        new OriginalIndices(new String[] {"docs"}, IndicesOptions.strictExpandOpen());
    List<SearchScope.ShardScope> scopes = new ArrayList<>();
    for (int number = 0; number < shards; number++) {
      scopes.add(new SearchScope.ShardScope(shard(number), indices, null, null));
    }
    return new SearchScope(
        request, scopes, new SearchScope.IndexFilters(Map.of(), Map.of(), Map.of()), state());
  }

  public static SearchCaller caller() {
    return SearchCaller.create("gateway", 1, new RequestContext(Runnable::run, 1, Map.of()));
  }

  /** Returns a search of some shards, whose response is passed on; a failure fails the test. */
  static SearchExecution execution(
      SearchRequest request,
      int shards,
      OpenSearchRegistries registries,
      Consumer<SearchResponse> onResponse) {
    SearchSpec spec =
        new SearchSpec(
            new RequestContext(Runnable::run, 1, Map.of()),
            ActionListener.wrap(
                onResponse::accept,
                thrown -> {
                  throw new AssertionError(thrown);
                }),
            (searches, listener) -> {},
            () -> 12,
            null);
    return new SearchExecution(
        spec,
        scope(request, shards),
        caller(),
        new ReduceServices(registries, new NoopCircuitBreaker("request"), Runnable::run),
        100);
  }

  static String json(SearchResponse response) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      response.toXContent(builder, ToXContent.EMPTY_PARAMS);
      return BytesReference.bytes(builder).utf8ToString();
    }
  }

  public static ShardSearchContextId contextId(long id) {
    return new ShardSearchContextId(UUIDs.base64UUID(), id);
  }

  /** A frame that counts its references. */
  public static final class CountedFrame implements ReplyFrame {
    public int held;

    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 100;
    }

    @Override
    public void retain() {
      held++;
    }

    @Override
    public void release() {
      held--;
    }
  }
}
