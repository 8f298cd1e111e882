package dev.weir.core.reduce;

import dev.weir.core.reduce.SearchWork.OpenContext;
import dev.weir.protocol.NodeFailure;
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
final class OpenContexts {
  /** Where a shard's answer says which context it opened. */
  enum Stands {
    NOWHERE,
    /** At its beginning. */
    FIRST,
    /** Behind a boolean, which says whether there was nothing to open one for. */
    BEHIND_FLAG
  }

  private record Held(String nodeId, ShardSearchContextId id, OriginalIndices indices) {}

  private final SearchCaller caller;
  private final boolean borrowed;
  private final @Nullable Held[] byShard;
  private final List<Held> unneeded = new ArrayList<>(0);

  /**
   * Makes the book of a search.
   *
   * @param borrowed whether its contexts belong to a point in time, so that it never frees one
   */
  OpenContexts(SearchCaller caller, int shards, boolean borrowed) {
    this.caller = caller;
    this.borrowed = borrowed;
    this.byShard = new Held[shards];
  }

  /** The shard holds a context open. */
  void opened(int shard, SearchShardTarget target, ShardSearchContextId id) {
    if (borrowed) {
      return;
    }
    byShard[shard] = new Held(target.getNodeId(), id, target.getOriginalIndices());
  }

  /** The shard may hold a context open that nobody needs, as the answer began that was refused. */
  void leftBy(NodeFailure refused, OriginalIndices indices, Stands stands) {
    ShardSearchContextId id = borrowed ? null : begun(refused, stands);
    if (id != null) {
      unneeded.add(new Held(refused.nodeId(), id, indices));
    }
  }

  /** The context that an answer began with; null for none. */
  private static @Nullable ShardSearchContextId begun(NodeFailure refused, Stands stands) {
    if (stands == Stands.NOWHERE || refused.beginning().length == 0) {
      return null;
    }
    try (StreamInput in = new BytesArray(refused.beginning()).streamInput()) {
      boolean nothing = stands == Stands.BEHIND_FLAG && in.readBoolean();
      return nothing ? null : new ShardSearchContextId(in);
    } catch (IOException tooShort) {
      return null; // the node closes it by itself when it has been idle for long enough
    }
  }

  /** The node itself has closed the shard's context, or it is kept on purpose. */
  void gone(int shard) {
    byShard[shard] = null;
  }

  /** Nobody needs the shard's context any more. */
  void discard(int shard) {
    Held held = byShard[shard];
    if (held != null) {
      byShard[shard] = null;
      unneeded.add(held);
    }
  }

  void discardAll() {
    for (int shard = 0; shard < byShard.length; shard++) {
      discard(shard);
    }
  }

  /** What an answer leaves open on its node that nobody waits for any more; null for nothing. */
  static @Nullable OpenContext left(
      SearchCaller caller, String nodeId, OriginalIndices indices, SearchPhaseResult reply) {
    ShardSearchContextId id = reply.getContextId();
    QuerySearchResult query = reply.queryResult();
    boolean closed = query != null && (!query.hasSearchContext() || reply.fetchResult() != null);
    return id == null || closed ? null : open(caller, nodeId, indices, id);
  }

  /** What an answer that there was no room for leaves open; null for nothing. */
  static @Nullable OpenContext left(
      SearchCaller caller, OriginalIndices indices, NodeFailure refused, Stands stands) {
    ShardSearchContextId id = begun(refused, stands);
    return id == null ? null : open(caller, refused.nodeId(), indices, id);
  }

  private static OpenContext open(
      SearchCaller caller, String nodeId, OriginalIndices indices, ShardSearchContextId id) {
    return new OpenContext(
        nodeId,
        caller.alone(
            SearchTransportService.FREE_CONTEXT_ACTION_NAME,
            SearchInternals.freeContext(indices, id),
            SearchInternals.freed()));
  }

  /** What to free; each is given out once. */
  List<OpenContext> drain() {
    if (unneeded.isEmpty()) {
      return List.of();
    }
    List<OpenContext> drained = new ArrayList<>(unneeded.size());
    for (Held held : unneeded) {
      drained.add(open(caller, held.nodeId(), held.indices(), held.id()));
    }
    unneeded.clear();
    return drained;
  }
}
