package dev.weir.gateway.reduce;

import dev.weir.protocol.NodeCall;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.ShardFetchSearchRequest;

/** Fetches the documents that won in a search. */
final class FetchRound extends DocsRound {
  private final SearchParts parts;
  private final ShardFailures failures;
  private final QueryResults queried;
  private final @Nullable AggregatedDfs statistics;

  FetchRound(
      SearchParts parts,
      ShardFailures failures,
      QueryResults queried,
      List<ShardDocs> wanted,
      @Nullable AggregatedDfs statistics) {
    super(wanted, parts.scope().shards().size(), parts.frames());
    this.parts = parts;
    this.failures = failures;
    this.queried = queried;
    this.statistics = statistics;
  }

  @Override
  public NodeCall<FetchSearchResult> call(int call) {
    ShardDocs docs = docs(call);
    SearchPhaseResult query = query(docs.shard());
    BytesReference echo = parts.echoes().of(docs.shard());
    if (echo != null) {
      SplicedFetch spliced =
          new SplicedFetch(
              query.queryResult().getContextId(),
              docs.docs(),
              target(call).getOriginalIndices(),
              echo);
      return parts
          .caller()
          .on(nodeId(call))
          .child(SearchTransportService.FETCH_ID_ACTION_NAME, spliced, reader(docs));
    }
    return parts
        .caller()
        .on(nodeId(call))
        .child(
            SearchTransportService.FETCH_ID_ACTION_NAME,
            new ShardFetchSearchRequest(
                target(call).getOriginalIndices(),
                query.queryResult().getContextId(),
                query.getShardSearchRequest(),
                docs.docs(),
                docs.last(),
                query.getRescoreDocIds(),
                statistics),
            reader(docs));
  }

  private Writeable.Reader<FetchSearchResult> reader(ShardDocs docs) {
    return queried.reading().hits("hits", docs.docs().size(), FetchSearchResult::new);
  }

  @Override
  void fetched(int shard) {
    if (!scrolls()) {
      parts.contexts().gone(shard);
    }
  }

  @Override
  public boolean gone(Exception failure) {
    return parts.anyCopyWillDo() && SearchRound.isGone(failure);
  }

  @Override
  public boolean failed(int call, Exception failure) {
    parts.broken().sees(failure);
    int shard = docs(call).shard();
    if (!scrolls()) {
      parts.contexts().discard(shard);
    }
    return failures.add(shard, target(call), SearchRound.unwrap(failure));
  }

  private boolean scrolls() {
    return parts.scope().request().scroll() != null;
  }

  private SearchPhaseResult query(int shard) {
    SearchPhaseResult query = queried.of(shard);
    if (query == null) {
      throw new IllegalStateException(
          "got documents of shard " + shard + ", which did not answer (expected: one that did)");
    }
    return query;
  }

  @Override
  SearchShardTarget queried(int shard) {
    return query(shard).getSearchShardTarget();
  }
}
