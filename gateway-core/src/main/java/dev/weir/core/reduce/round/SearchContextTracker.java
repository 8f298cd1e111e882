package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.protocol.NodeCallException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;

/**
 * The search contexts that a search's shards hold open for it, so that each is used up, kept on
 * purpose, or freed once.
 */
public final class SearchContextTracker {
  /** Where a shard's answer says which context it opened. */
  enum ContextIdPosition {
    NONE,
    /** At its beginning. */
    AT_START,
    /** Behind a boolean, which says whether there was nothing to open one for. */
    AFTER_FLAG
  }

  private record TrackedContext(String nodeId, ShardSearchContextId id, OriginalIndices indices) {}

  private final SearchCaller caller;
  private final boolean isBorrowed;
  private final @Nullable TrackedContext[] byShard;
  private final List<TrackedContext> discarded = new ArrayList<>(0);

  /**
   * Makes the book of a search.
   *
   * @param borrowed whether its contexts belong to a point in time, so that it never frees one
   */
  SearchContextTracker(SearchCaller caller, int shards, boolean borrowed) {
    this.caller = caller;
    this.isBorrowed = borrowed;
    this.byShard = new TrackedContext[shards];
  }

  /** The shard holds a context open. */
  void recordOpened(int shard, SearchShardTarget target, ShardSearchContextId id) {
    if (isBorrowed) {
      return;
    }
    byShard[shard] = new TrackedContext(target.getNodeId(), id, target.getOriginalIndices());
  }

  /** The shard may hold a context open that nobody needs, as the answer began that was refused. */
  void discardAfterFailure(
      NodeCallException refused, OriginalIndices indices, ContextIdPosition stands) {
    ShardSearchContextId id = isBorrowed ? null : parseContextId(refused, stands);
    if (id != null) {
      discarded.add(new TrackedContext(refused.nodeId(), id, indices));
    }
  }

  /** The context that an answer began with; null for none. */
  private static @Nullable ShardSearchContextId parseContextId(
      NodeCallException refused, ContextIdPosition stands) {
    if (stands == ContextIdPosition.NONE || refused.payloadPrefix().length == 0) {
      return null;
    }
    try (StreamInput in = new BytesArray(refused.payloadPrefix()).streamInput()) {
      boolean nothing = stands == ContextIdPosition.AFTER_FLAG && in.readBoolean();
      return nothing ? null : new ShardSearchContextId(in);
    } catch (IOException tooShort) {
      return null; // the node closes it by itself when it has been idle for long enough
    }
  }

  /** The node itself has closed the shard's context, or it is kept on purpose. */
  void forget(int shard) {
    byShard[shard] = null;
  }

  /** Nobody needs the shard's context any more. */
  public void discard(int shard) {
    TrackedContext held = byShard[shard];
    if (held != null) {
      byShard[shard] = null;
      discarded.add(held);
    }
  }

  public void discardAll() {
    for (int shard = 0; shard < byShard.length; shard++) {
      discard(shard);
    }
  }

  /** What an answer leaves open on its node that nobody waits for any more; null for nothing. */
  static @Nullable OpenContext orphanedContext(
      SearchCaller caller, String nodeId, OriginalIndices indices, SearchPhaseResult reply) {
    ShardSearchContextId id = reply.getContextId();
    QuerySearchResult query = reply.queryResult();
    boolean closed = query != null && (!query.hasSearchContext() || reply.fetchResult() != null);
    return id == null || closed ? null : createFreeCall(caller, nodeId, indices, id);
  }

  /** What an answer that there was no room for leaves open; null for nothing. */
  static @Nullable OpenContext orphanedContext(
      SearchCaller caller,
      OriginalIndices indices,
      NodeCallException refused,
      ContextIdPosition stands) {
    ShardSearchContextId id = parseContextId(refused, stands);
    return id == null ? null : createFreeCall(caller, refused.nodeId(), indices, id);
  }

  private static OpenContext createFreeCall(
      SearchCaller caller, String nodeId, OriginalIndices indices, ShardSearchContextId id) {
    return new OpenContext(
        nodeId,
        caller.createStandaloneCall(
            SearchTransportService.FREE_CONTEXT_ACTION_NAME,
            SearchInternals.createFreeContextRequest(indices, id),
            SearchInternals.freeContextResponseReader()));
  }

  /** What to free; each is given out once. */
  public List<OpenContext> drainDiscarded() {
    if (discarded.isEmpty()) {
      return List.of();
    }
    List<OpenContext> drained = new ArrayList<>(discarded.size());
    for (TrackedContext held : discarded) {
      drained.add(createFreeCall(caller, held.nodeId(), held.indices(), held.id()));
    }
    discarded.clear();
    return drained;
  }
}
