package dev.weir.core.reduce.round;

import dev.weir.core.reduce.hits.QueryResultReader;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.internal.ShardSearchRequest;

/**
 * Skips the shard request that a node echoes. The layout has no length, but most echoes repeat the
 * bytes of the source that was sent. Then only the short parts around it are read; otherwise, where
 * the node rewrote the query, the whole request is.
 *
 * <p>The layout is that of {@link SplicedShardRequest}.
 */
final class EchoedRequestSkipper implements QueryResultReader.EchoSkipper {
  private final @Nullable SerializedSource sent;

  /**
   * Creates a skipper.
   *
   * @param sent the source of the request that the node echoes; null if it is not known as bytes
   */
  EchoedRequestSkipper(@Nullable SerializedSource sent) {
    this.sent = sent;
  }

  @Override
  public void skip(StreamInput in) throws IOException {
    if (sent == null || !(in instanceof FrameStreamInput frame)) {
      new ShardSearchRequest(in); // only its reader knows where it ends
      return;
    }
    frame.mark(0);
    if (!trySkip(frame, sent)) {
      frame.reset();
      new ShardSearchRequest(frame);
    }
  }

  /** Returns false, at any position, if the echo has a scroll or another source. */
  private static boolean trySkip(FrameStreamInput in, SerializedSource sent) throws IOException {
    TaskId.readFromStream(in);
    new ShardId(in);
    in.readByte(); // search type
    in.readVInt(); // number of shards
    boolean hasScroll = in.readBoolean();
    if (hasScroll || !in.readBoolean() || !sent.tryConsume(in)) {
      return false;
    }
    new AliasFilter(in);
    in.readFloat(); // boost of the index
    in.readVLong(); // now
    in.readOptionalBoolean(); // request cache
    in.readVLong(); // inbound network time
    in.readVLong(); // outbound network time
    in.readOptionalString(); // alias of the cluster
    in.readBoolean(); // allows partial results
    in.readStringArray(); // routings
    in.readOptionalString(); // preference
    in.readBoolean(); // may return an empty response
    if (in.readBoolean()) { // values to sort before
      return false;
    }
    in.readOptionalWriteable(ShardSearchContextId::new);
    in.readOptionalTimeValue(); // keep-alive
    OriginalIndices.readOriginalIndices(in);
    return true;
  }
}
