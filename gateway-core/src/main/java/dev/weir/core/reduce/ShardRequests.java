package dev.weir.core.reduce;

import dev.weir.core.reduce.SearchScope.ShardScope;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.Index;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.transport.TransportRequest;

/** Makes the requests of one search to its shards. */
final class ShardRequests {
  private static final String[] NO_ROUTING = {};

  private final SearchScope scope;
  private final long nowMillis;
  private final @Nullable WrittenSource source;
  private boolean answered;

  ShardRequests(SearchScope scope) {
    this.scope = scope;
    this.nowMillis = scope.request().getOrCreateAbsoluteStartMillis();
    SearchSourceBuilder shared = scope.request().source();
    this.source = shared == null || scope.shards().size() == 1 ? null : new WrittenSource(shared);
  }

  /** A shard has answered: others may answer nothing at all when they have nothing. */
  void answered() {
    answered = true;
  }

  ShardScope shard(int ordinal) {
    return scope.shards().get(ordinal);
  }

  SearchShardTarget target(int ordinal, String nodeId) {
    ShardScope shard = shard(ordinal);
    return new SearchShardTarget(nodeId, shard.id(), null, shard.indices());
  }

  ShardSearchRequest make(int ordinal) {
    ShardScope shard = shard(ordinal);
    Index index = shard.id().getIndex();
    Set<String> routing = scope.filters().routings().getOrDefault(index.getName(), Set.of());
    ShardSearchRequest request =
        new ShardSearchRequest(
            shard.indices(),
            scope.request(),
            shard.id(),
            scope.shards().size(),
            scope.filters().aliasFilters().getOrDefault(index.getUUID(), AliasFilter.EMPTY),
            scope.filters().boosts().getOrDefault(index.getUUID(), 1.0f),
            nowMillis,
            null,
            routing.isEmpty() ? NO_ROUTING : routing.toArray(NO_ROUTING),
            shard.pit(),
            shard.keepAlive());
    request.canReturnNullResponseIfMatchNoDocs(answered && scope.request().scroll() == null);
    return request;
  }

  /** What to send for a request made here: the same bytes, with less work. */
  TransportRequest toSend(int ordinal, ShardSearchRequest request) {
    WrittenSource written = source;
    return written != null && written.isOf(request.source())
        ? new SplicedQuery(request, shard(ordinal).indices(), written)
        : request;
  }
}
