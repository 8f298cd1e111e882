package dev.weir.core.reduce;

import dev.weir.core.reduce.FramedPage.ShardHits;
import dev.weir.core.reduce.SplicedResponse.Merged;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.Reduced;
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
  private final @Nullable FetchReply[] readers;
  private final boolean staysInFrames;

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
    this.readers = new FetchReply[wanted.size()];
    this.staysInFrames = !scrolls();
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
          .child(SearchTransportService.FETCH_ID_ACTION_NAME, spliced, reader(call));
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
            reader(call));
  }

  private Writeable.Reader<FetchSearchResult> reader(int call) {
    if (!staysInFrames) {
      return queried.reading().fetched(docs(call).docs().size());
    }
    FetchReply reader = new FetchReply();
    readers[call] = reader;
    return queried.reading().hits(AnswerReading.IN_PLACE, docs(call).docs().size(), reader);
  }

  /**
   * The search's answer, with hits that stay where they are; null if they can't. Then all answers
   * have theirs as objects.
   */
  @Nullable Merged merge(Reduced best) throws IOException {
    @Nullable ShardHits[] found = staysInFrames ? inPlace() : null;
    Merged merged = found == null ? null : FramedMerge.of(best, found, queried.reading()::fetched);
    if (merged == null) {
      readAll();
    }
    return merged;
  }

  /** By shard where its hits lie; null in all if those of one can't stay there. */
  private @Nullable ShardHits @Nullable [] inPlace() {
    @Nullable ShardHits[] found = new ShardHits[results().length()];
    for (int call = 0; call < calls(); call++) {
      int shard = docs(call).shard();
      FrameHits hits = hitsOf(call);
      if (hits != null) {
        found[shard] = new ShardHits(target(call), hits);
      } else if (results().get(shard) != null) {
        return null;
      }
    }
    return found;
  }

  /** Makes objects of all hits that lie in frames. */
  private void readAll() throws IOException {
    for (int call = 0; call < calls(); call++) {
      FrameHits hits = hitsOf(call);
      FetchSearchResult answer = results().get(docs(call).shard());
      if (hits != null && answer != null) {
        answer.hits(hits.read(queried.reading().fetched(hits.count())).hits());
      }
    }
  }

  private @Nullable FrameHits hitsOf(int call) {
    FetchReply reader = readers[call];
    FetchSearchResult answer = results().get(docs(call).shard());
    return reader == null || answer == null ? null : reader.hitsOf(answer);
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
