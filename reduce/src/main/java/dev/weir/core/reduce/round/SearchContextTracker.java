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
 * Tracks the search contexts that shards keep open for a search. Each is either used by a fetch,
 * kept deliberately, or freed once.
 */
public final class SearchContextTracker {
  /** Where a shard's response has the id of the search context that it opened. */
  enum ContextIdPosition {
    NONE,
    /** At the beginning. */
    AT_START,
    /** After a boolean that says whether the shard opened no context. */
    AFTER_FLAG
  }

  private record TrackedContext(String nodeId, ShardSearchContextId id, OriginalIndices indices) {}

  private final SearchCaller caller;
  private final boolean isBorrowed;
  private final @Nullable TrackedContext[] byShard;
  private final List<TrackedContext> discarded = new ArrayList<>(0);

  /**
   * Creates a tracker for a search.
   *
   * @param borrowed whether the contexts belong to a point in time, so that the search never frees
   *     one
   */
  SearchContextTracker(SearchCaller caller, int shards, boolean borrowed) {
    this.caller = caller;
    this.isBorrowed = borrowed;
    this.byShard = new TrackedContext[shards];
  }

  /** The shard keeps a search context open. */
  void recordOpened(int shard, SearchShardTarget target, ShardSearchContextId id) {
    if (isBorrowed) {
      return;
    }
    byShard[shard] = new TrackedContext(target.getNodeId(), id, target.getOriginalIndices());
  }

  /**
   * The gateway refused a response for lack of memory; its beginning shows the context that the
   * shard opened. Marks that context for freeing.
   */
  void discardAfterFailure(
      NodeCallException refused, OriginalIndices indices, ContextIdPosition stands) {
    ShardSearchContextId id = isBorrowed ? null : parseContextId(refused, stands);
    if (id != null) {
      discarded.add(new TrackedContext(refused.nodeId(), id, indices));
    }
  }

  /** Parses the context id at the beginning of a response; null without one. */
  private static @Nullable ShardSearchContextId parseContextId(
      NodeCallException refused, ContextIdPosition stands) {
    if (stands == ContextIdPosition.NONE || refused.payloadPrefix().length == 0) {
      return null;
    }
    try (StreamInput in = new BytesArray(refused.payloadPrefix()).streamInput()) {
      boolean nothing = stands == ContextIdPosition.AFTER_FLAG && in.readBoolean();
      return nothing ? null : new ShardSearchContextId(in);
    } catch (IOException tooShort) {
      return null; // the node closes an idle context after its keep-alive
    }
  }

  /** Stops tracking the shard's context: the node closed it, or it is kept deliberately. */
  void forget(int shard) {
    byShard[shard] = null;
  }

  /** Marks the shard's context for freeing. */
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

  /** Returns the context that a late response leaves open; null if none. */
  static @Nullable OpenContext orphanedContext(
      SearchCaller caller, String nodeId, OriginalIndices indices, SearchPhaseResult reply) {
    ShardSearchContextId id = reply.getContextId();
    QuerySearchResult query = reply.queryResult();
    boolean closed = query != null && (!query.hasSearchContext() || reply.fetchResult() != null);
    return id == null || closed ? null : createFreeCall(caller, nodeId, indices, id);
  }

  /** Returns the context that a response refused for lack of memory leaves open; null if none. */
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

  /** Returns the contexts to free, each only once. */
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
