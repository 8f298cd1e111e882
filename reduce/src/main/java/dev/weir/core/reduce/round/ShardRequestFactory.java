package dev.weir.core.reduce.round;

import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.Index;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.transport.TransportRequest;

/** Creates the requests of one search to its shards. */
final class ShardRequestFactory {
  private static final String[] NO_ROUTING = {};

  private final SearchScope scope;
  private final long nowMillis;
  private final @Nullable SerializedSource serializedSource;
  private boolean hasShardResponse;

  ShardRequestFactory(SearchScope scope) {
    this.scope = scope;
    this.nowMillis = scope.request().getOrCreateAbsoluteStartMillis();
    SearchSourceBuilder shared = scope.request().source();
    this.serializedSource = shared == null ? null : new SerializedSource(shared);
  }

  SearchScope scope() {
    return scope;
  }

  /** A shard has answered. From now on other shards without matches may send an empty response. */
  void onShardResponse() {
    hasShardResponse = true;
  }

  ShardScope scopeOf(int ordinal) {
    return scope.shards().get(ordinal);
  }

  SearchShardTarget targetOf(int ordinal, String nodeId) {
    ShardScope shard = scopeOf(ordinal);
    return new SearchShardTarget(nodeId, shard.id(), null, shard.indices());
  }

  ShardSearchRequest create(int ordinal) {
    return create(ordinal, scope.shards().size());
  }

  /**
   * Creates the request to a shard.
   *
   * @param shards the number of shards that the node takes the search to have; it fetches at once
   *     for a single one
   */
  ShardSearchRequest create(int ordinal, int shards) {
    ShardScope shard = scopeOf(ordinal);
    Index index = shard.id().getIndex();
    Set<String> routing = scope.filters().routings().getOrDefault(index.getName(), Set.of());
    ShardSearchRequest request =
        new ShardSearchRequest(
            shard.indices(),
            scope.request(),
            shard.id(),
            shards,
            scope.filters().aliasFilters().getOrDefault(index.getUUID(), AliasFilter.EMPTY),
            scope.filters().boosts().getOrDefault(index.getUUID(), 1.0f),
            nowMillis,
            null,
            routing.isEmpty() ? NO_ROUTING : routing.toArray(NO_ROUTING),
            shard.pit(),
            shard.keepAlive());
    request.canReturnNullResponseIfMatchNoDocs(
        hasShardResponse && shards > 1 && scope.request().scroll() == null);
    return request;
  }

  /** Returns the size of the search in each request to one of several shards, in bytes. */
  int sourceBytes() {
    return serializedSource == null ? 0 : serializedSource.length();
  }

  /** Returns what skips the echo of a request. */
  EchoedRequestSkipper echoSkipper(ShardSearchRequest request) {
    SerializedSource written = serializedSource;
    return new EchoedRequestSkipper(
        written != null && written.isSourceOf(request.source()) ? written : null);
  }

  /** Returns the request to send: the same bytes as {@code request}, serialized faster. */
  TransportRequest toWireRequest(int ordinal, ShardSearchRequest request) {
    SerializedSource written = serializedSource;
    return written != null && written.isSourceOf(request.source())
        ? new SplicedShardRequest(request, scopeOf(ordinal).indices(), written)
        : request;
  }
}
