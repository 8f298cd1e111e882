package dev.weir.core.reduce;

import dev.weir.model.Phase;
import dev.weir.model.Work;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Fetches the documents that won, of a search or of a page of a scroll, from the shards that have
 * them, where they were queried.
 */
abstract class DocsRound implements NodeRound<FetchSearchResult> {
  /**
   * What to fetch from one shard.
   *
   * @param docs Lucene's document numbers, in the order in which they won
   * @param last the last of the shard's documents in this page of a scroll; null without a scroll
   */
  record ShardDocs(int shard, List<Integer> docs, @Nullable ScoreDoc last) {}

  private final List<ShardDocs> wanted;
  private final HeldFrames frames;
  private final AtomicArray<FetchSearchResult> results;

  /**
   * Makes a round.
   *
   * @param shards of the search, with those that nothing is fetched from
   * @param frames holds the answers
   */
  DocsRound(List<ShardDocs> wanted, int shards, HeldFrames frames) {
    this.wanted = wanted;
    this.frames = frames;
    this.results = new AtomicArray<>(shards);
  }

  /** What to fetch by shard, without the shards that have none of it. */
  static List<ShardDocs> wanted(@Nullable List<Integer>[] docs, ScoreDoc @Nullable [] last) {
    List<ShardDocs> wanted = new ArrayList<>(docs.length);
    for (int shard = 0; shard < docs.length; shard++) {
      List<Integer> own = docs[shard];
      if (own != null) {
        wanted.add(new ShardDocs(shard, own, last == null ? null : last[shard]));
      }
    }
    return wanted;
  }

  /** Where a shard was queried. */
  abstract SearchShardTarget queried(int shard);

  /** A shard's documents are there. */
  void fetched(int shard) {}

  @Override
  public final String name() {
    return "fetch";
  }

  @Override
  public final Phase phase() {
    return Phase.FETCH;
  }

  @Override
  public final Work work(int call) {
    return Work.fetching(wanted.get(call).docs().size());
  }

  @Override
  public final int calls() {
    return wanted.size();
  }

  @Override
  public final String nodeId(int call) {
    return target(call).getNodeId();
  }

  @Override
  public final void reply(int call, FetchSearchResult reply, ReplyFrame frame, Runnable consumed) {
    int shard = wanted.get(call).shard();
    reply.setShardIndex(shard);
    reply.setSearchShardTarget(target(call));
    frames.holdFetched(frame);
    fetched(shard);
    results.set(shard, reply);
    consumed.run();
  }

  /** By shard; null where nothing was fetched. */
  final AtomicArray<FetchSearchResult> results() {
    return results;
  }

  final ShardDocs docs(int call) {
    return wanted.get(call);
  }

  final SearchShardTarget target(int call) {
    return queried(wanted.get(call).shard());
  }
}
