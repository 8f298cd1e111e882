package dev.weir.core.reduce.hits;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * Reads one shard's fetch result. If its hits can stay in the reply frame, it records only their
 * positions; otherwise it reads the whole result. One reader reads one result, on the channel's
 * event loop.
 */
public final class FetchResultReader implements Writeable.Reader<FetchSearchResult> {
  private @Nullable FetchSearchResult result;
  private @Nullable FrameHits hits;

  /** Returns the hits that stayed in the frame, or null if the result has its hits as objects. */
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
