package dev.weir.core.reduce.hits;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * Reads one shard's answer to the fetch phase: where its hits lie, if they can stay there; else all
 * of it. One reader reads one answer, on the channel's event loop.
 */
public final class FetchResultReader implements Writeable.Reader<FetchSearchResult> {
  private @Nullable FetchSearchResult result;
  private @Nullable FrameHits hits;

  /** The hits of an answer that was read here and has none itself; null if it has them. */
  public @Nullable FrameHits hitsIfDeferred(FetchSearchResult read) {
    return result == read ? hits : null;
  }

  @Override
  public FetchSearchResult read(StreamInput in) throws IOException {
    if (!(in instanceof FrameStreamInput frame)) {
      return new FetchSearchResult(in);
    }
    frame.mark(0);
    int start = frame.position();
    ShardSearchContextId context = new ShardSearchContextId(frame);
    int contextBytes = frame.position() - start;
    frame.reset();
    FrameHits found = FrameHits.scan(frame, contextBytes);
    if (found == null) {
      return new FetchSearchResult(frame);
    }
    frame.skip(frame.available());
    FetchSearchResult read = new FetchSearchResult(context, null);
    result = read;
    hits = found;
    return read;
  }
}
