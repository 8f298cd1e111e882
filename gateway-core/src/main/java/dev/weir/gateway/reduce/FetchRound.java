package dev.weir.gateway.reduce;

import dev.weir.model.Phase;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.ShardFetchSearchRequest;

/** Fetches the documents that won from the shards that have them, where they were queried. */
final class FetchRound implements NodeRound<FetchSearchResult> {
  /**
   * What to fetch from one shard.
   *
   * @param docs Lucene's document numbers, in the order in which they won
   * @param last the last of the shard's documents in this page of a scroll; null without a scroll
   */
  record ShardDocs(int shard, List<Integer> docs, @Nullable ScoreDoc last) {}

  private final SearchParts parts;
  private final ShardFailures failures;
  private final QueryResults queried;
  private final List<ShardDocs> wanted;
  private final @Nullable AggregatedDfs statistics;
  private final AtomicArray<FetchSearchResult> results;

  FetchRound(
      SearchParts parts,
      ShardFailures failures,
      QueryResults queried,
      List<ShardDocs> wanted,
      @Nullable AggregatedDfs statistics) {
    this.parts = parts;
    this.failures = failures;
    this.queried = queried;
    this.wanted = wanted;
    this.statistics = statistics;
    this.results = new AtomicArray<>(parts.scope().shards().size());
  }

  /** What to fetch by shard, without the shards that have none of it. */
  static List<ShardDocs> wanted(List<Integer>[] docs, ScoreDoc @Nullable [] last) {
    List<ShardDocs> wanted = new ArrayList<>(docs.length);
    for (int shard = 0; shard < docs.length; shard++) {
      if (docs[shard] != null) {
        wanted.add(new ShardDocs(shard, docs[shard], last == null ? null : last[shard]));
      }
    }
    return wanted;
  }

  @Override
  public String name() {
    return "fetch";
  }

  @Override
  public Phase phase() {
    return Phase.FETCH;
  }

  @Override
  public Work work(int call) {
    return Work.fetching(wanted.get(call).docs().size());
  }

  @Override
  public int calls() {
    return wanted.size();
  }

  @Override
  public String nodeId(int call) {
    return target(call).getNodeId();
  }

  @Override
  public NodeCall<FetchSearchResult> call(int call) {
    ShardDocs docs = wanted.get(call);
    SearchPhaseResult query = query(call);
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
          .child(SearchTransportService.FETCH_ID_ACTION_NAME, spliced, FetchSearchResult::new);
    }
    return parts
        .caller()
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
            FetchSearchResult::new);
  }

  @Override
  public void reply(int call, FetchSearchResult reply, ReplyFrame frame, Runnable consumed) {
    int shard = wanted.get(call).shard();
    reply.setShardIndex(shard);
    reply.setSearchShardTarget(target(call));
    parts.frames().hold(frame);
    if (!scrolls()) {
      parts.contexts().gone(shard);
    }
    results.set(shard, reply);
    consumed.run();
  }

  @Override
  public boolean gone(Exception failure) {
    return parts.anyCopyWillDo() && SearchRound.isGone(failure);
  }

  @Override
  public boolean failed(int call, Exception failure) {
    int shard = wanted.get(call).shard();
    if (!scrolls()) {
      parts.contexts().discard(shard);
    }
    return failures.add(shard, target(call), SearchRound.unwrap(failure));
  }

  AtomicArray<FetchSearchResult> results() {
    return results;
  }

  private boolean scrolls() {
    return parts.scope().request().scroll() != null;
  }

  private SearchPhaseResult query(int call) {
    SearchPhaseResult query = queried.of(wanted.get(call).shard());
    if (query == null) {
      throw new IllegalStateException("got documents of a shard that did not answer");
    }
    return query;
  }

  private SearchShardTarget target(int call) {
    return query(call).getSearchShardTarget();
  }
}
