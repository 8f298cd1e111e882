package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.memory.RetainedSearchFrames;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Fetches the top documents of a search, or of a page of a scroll, from the copies that were
 * queried.
 */
public abstract class BaseFetchRound implements NodeRound<FetchSearchResult> {
  /**
   * The documents to fetch from one shard.
   *
   * @param docs Lucene's document ids, best first
   * @param lastEmitted the shard's last document in this page of a scroll; null without a scroll
   */
  public record ShardDocs(int shard, List<Integer> docs, @Nullable ScoreDoc lastEmitted) {}

  private final List<ShardDocs> docsByShard;
  private final RetainedSearchFrames frames;
  private final AtomicArray<FetchSearchResult> results;

  /**
   * Creates a round.
   *
   * @param shards the number of the search's shards, including those from which nothing is fetched
   * @param frames retains the reply frames
   */
  public BaseFetchRound(List<ShardDocs> wanted, int shards, RetainedSearchFrames frames) {
    this.docsByShard = wanted;
    this.frames = frames;
    this.results = new AtomicArray<>(shards);
  }

  /** Groups the documents by shard and leaves out shards without any. */
  public static List<ShardDocs> docsByShard(
      @Nullable List<Integer>[] docs, ScoreDoc @Nullable [] last) {
    List<ShardDocs> wanted = new ArrayList<>(docs.length);
    for (int shard = 0; shard < docs.length; shard++) {
      List<Integer> own = docs[shard];
      if (own != null) {
        wanted.add(new ShardDocs(shard, own, last == null ? null : last[shard]));
      }
    }
    return wanted;
  }

  /** Returns the copy that was queried. */
  public abstract SearchShardTarget queriedTarget(int shard);

  /** A shard's documents have arrived. */
  void onFetched(int shard) {}

  @Override
  public final String name() {
    return "fetch";
  }

  @Override
  public final NodeCallType callType(int call) {
    return NodeCallType.forFetch(docsByShard.get(call).docs().size());
  }

  @Override
  public final int callCount() {
    return docsByShard.size();
  }

  @Override
  public final String nodeId(int call) {
    return target(call).getNodeId();
  }

  @Override
  public final void onReply(
      int call, FetchSearchResult reply, ReplyFrame frame, Runnable consumed) {
    int shard = docsByShard.get(call).shard();
    reply.setShardIndex(shard);
    reply.setSearchShardTarget(target(call));
    frames.retainFetched(frame);
    onFetched(shard);
    results.set(shard, reply);
    consumed.run();
  }

  /** Returns the results by shard; null for a shard from which nothing was fetched. */
  public final AtomicArray<FetchSearchResult> results() {
    return results;
  }

  public final ShardDocs docs(int call) {
    return docsByShard.get(call);
  }

  public final SearchShardTarget target(int call) {
    return queriedTarget(docsByShard.get(call).shard());
  }
}
