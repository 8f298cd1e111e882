package dev.weir.core.reduce.hits;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ScoredTopDocs;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.common.lucene.Lucene;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.profile.ProfileShardResult;
import org.opensearch.search.query.QueryResultInternals;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.search.suggest.Suggest;

/**
 * Reads one shard's query result but not the shard request that it echoes.
 *
 * <p>The layout is that of OpenSearch's {@code QuerySearchResult}. At its end are the shard request
 * as the node rewrote it, which costs a seventh of a coordinating node's work to read, and the
 * documents to rescore. The fetch phase sends both back to the node. Without rescoring the second
 * is one zero byte, so the first can stay serialized. A reader reads one result at a time, on the
 * channel's event loop: a query that is sent again is read again.
 */
public final class QueryResultReader implements Writeable.Reader<QuerySearchResult> {
  private final Writeable.Reader<InternalAggregations> aggregations;
  private final boolean readsDocsAsNumbers;
  private final @Nullable EchoSkipper skipper;
  private @Nullable BytesReference echo;

  /** Moves behind the echoed shard request where a fetch result follows it. */
  @FunctionalInterface
  public interface EchoSkipper {
    /** Moves from the first byte of the request to the first one after it. */
    void skip(StreamInput in) throws IOException;
  }

  /**
   * Creates a reader.
   *
   * @param aggregations expands aggregations when they are reduced
   * @param numbers whether to read the top documents as numbers instead of objects
   * @param skipper skips the echoed request before a fetch result; null if no such result follows
   */
  public QueryResultReader(
      Writeable.Reader<InternalAggregations> aggregations,
      boolean numbers,
      @Nullable EchoSkipper skipper) {
    this.aggregations = aggregations;
    this.readsDocsAsNumbers = numbers;
    this.skipper = skipper;
  }

  /** Returns the echoed shard request, a slice of the reply frame; null if the node sent none. */
  public @Nullable BytesReference echo() {
    return echo;
  }

  @Override
  public QuerySearchResult read(StreamInput in) throws IOException {
    echo = null;
    if (in.readBoolean()) {
      return QuerySearchResult.nullInstance();
    }
    QuerySearchResult result = new QuerySearchResult(new ShardSearchContextId(in), null, null);
    result.from(in.readVInt());
    result.size(in.readVInt());
    DocValueFormat[] formats = readFormats(in);
    TopDocsAndMaxScore best = readsDocsAsNumbers ? ScoredTopDocs.read(in) : Lucene.readTopDocs(in);
    result.topDocs(best, formats);
    QueryResultInternals.setHasDocs(result, ScoredTopDocs.countDocs(best.topDocs) > 0);
    if (in.readBoolean()) {
      QueryResultInternals.setAggregations(
          result, DelayableWriteable.delayed(aggregations, new DelayedReadStreamInput(in)));
    }
    if (in.readBoolean()) {
      result.suggest(new Suggest(in));
    }
    result.searchTimedOut(in.readBoolean());
    Boolean terminatedEarly = in.readOptionalBoolean();
    if (terminatedEarly != null) {
      result.terminatedEarly(terminatedEarly);
    }
    ProfileShardResult profile = in.readOptionalWriteable(ProfileShardResult::new);
    if (profile != null) {
      result.profileResults(profile);
    }
    result.serviceTimeEWMA(in.readZLong());
    result.nodeQueueSize(in.readInt());
    if (in.readBoolean()) {
      if (skipper != null) {
        skipper.skip(in);
      } else {
        echo = in.readBytesReference(in.available() - 1);
      }
    }
    byte rescored = in.readByte();
    if (rescored != 0) {
      throw new IOException("got documents to rescore (expected: none without a rescorer)");
    }
    return result;
  }

  private static DocValueFormat @Nullable [] readFormats(StreamInput in) throws IOException {
    int count = in.readVInt() - 1;
    if (count < 0) {
      return null;
    }
    DocValueFormat[] formats = new DocValueFormat[count];
    for (int i = 0; i < count; i++) {
      formats[i] = in.readNamedWriteable(DocValueFormat.class);
    }
    return formats;
  }
}
