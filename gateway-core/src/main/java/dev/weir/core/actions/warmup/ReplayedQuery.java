package dev.weir.core.actions.warmup;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.tasks.Task;

/**
 * Creates the call that repeats a search on one copy. It is a search of one shard, so that the node
 * fetches at once and keeps no search context. Its task has the header {@code X-Opaque-Id} with the
 * value {@link #OPAQUE_ID}.
 */
final class ReplayedQuery {
  static final String OPAQUE_ID = "weir-warm-up";

  /** A longer wait says that the node has other trouble than cold caches. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** A page of results is enough to read what the first clients will read. */
  private static final int MAX_HITS = 100;

  private ReplayedQuery() {}

  /**
   * Creates a call whose reply is dropped.
   *
   * @param nowMillis what relative dates refer to, milliseconds since 1970
   * @param usesRequestCache whether the node may answer from its request cache, and fill it
   * @throws IOException if the search can't be read
   */
  static NodeCall<Boolean> create(
      RememberedSearch search,
      ShardId shard,
      NamedWriteableRegistry writeables,
      long nowMillis,
      boolean usesRequestCache)
      throws IOException {
    return new NodeCall<>(
        SearchTransportService.QUERY_ACTION_NAME,
        request(search, shard, writeables, nowMillis, usesRequestCache),
        ReplayedQuery::drop,
        ChannelKind.READ,
        Map.of(Task.X_OPAQUE_ID, OPAQUE_ID),
        TIMEOUT);
  }

  static ShardSearchRequest request(
      RememberedSearch search,
      ShardId shard,
      NamedWriteableRegistry writeables,
      long nowMillis,
      boolean usesRequestCache)
      throws IOException {
    SearchRequest whole = new SearchRequest(shard.getIndexName());
    whole.source(trim(read(search.source(), writeables, SearchSourceBuilder::new)));
    if (!usesRequestCache) {
      whole.requestCache(false);
    } else if (search.requestCache() != null) {
      whole.requestCache(search.requestCache());
    }
    whole.allowPartialSearchResults(search.allowPartialResults());
    return new ShardSearchRequest(
        new OriginalIndices(whole),
        whole,
        shard,
        1,
        read(search.aliasFilter(), writeables, AliasFilter::new),
        search.boost(),
        nowMillis,
        null,
        search.routing().toArray(String[]::new));
  }

  private static <T> T read(
      BytesReference serialized, NamedWriteableRegistry writeables, Writeable.Reader<T> reader)
      throws IOException {
    try (StreamInput in =
        new NamedWriteableAwareStreamInput(serialized.streamInput(), writeables)) {
      return reader.read(in);
    }
  }

  /** A search without hits stays as it is, so that it is the same to the request cache. */
  private static SearchSourceBuilder trim(SearchSourceBuilder source) {
    if (source.size() > MAX_HITS) {
      source.size(MAX_HITS);
    }
    if (source.from() > 0 && source.from() + source.size() > MAX_HITS) {
      source.from(0);
    }
    return source;
  }

  private static Boolean drop(StreamInput in) throws IOException {
    in.skipNBytes(in.available());
    return true;
  }
}
