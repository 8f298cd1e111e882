package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.SearchWork.MatchedShard;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.search.SearchService.CanMatchResponse;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.MinAndMax;

/**
 * Asks the shards whether they can match at all, and for the range of their sort values, so that
 * the query phase starts with the shards that probably have the top hits. A shard that fails here
 * counts as matching.
 */
public final class CanMatchRound extends BaseShardRound<CanMatchResponse> {
  private final boolean[] matches;
  private final @Nullable MinAndMax<?>[] sortRanges;

  public CanMatchRound(SearchRoundContext parts, List<Integer> ordinals, ShardFailures failures) {
    super("can_match", parts, ordinals, failures);
    this.matches = new boolean[parts.scope().shards().size()];
    this.sortRanges = new MinAndMax<?>[matches.length];
  }

  @Override
  public NodeCall<CanMatchResponse> createCall(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    return caller.createChildCall(
        SearchTransportService.QUERY_CAN_MATCH_NAME,
        parts()
            .shardRequests()
            .toWireRequest(ordinalOf(shard), parts().shardRequests().create(ordinalOf(shard))),
        CanMatchResponse::new);
  }

  @Override
  SearchContextTracker.ContextIdPosition contextIdPosition() {
    return SearchContextTracker.ContextIdPosition.NONE;
  }

  /** A node answers sooner than it would take a ban; and it has as many calls as shards. */
  @Override
  boolean isWorthCancelling() {
    return false;
  }

  @Override
  public NodeCallType callType() {
    return NodeCallType.CAN_MATCH;
  }

  @Override
  public void onReply(
      int shard, String nodeId, CanMatchResponse reply, ReplyFrame frame, Runnable consumed) {
    matches[ordinalOf(shard)] = reply.canMatch();
    sortRanges[ordinalOf(shard)] = reply.estimatedMinAndMax();
    onSuccess(shard);
    consumed.run();
  }

  @Override
  public void onFailure(int shard, String nodeId, Exception failure) {
    super.onFailure(shard, nodeId, failure);
    matches[ordinalOf(shard)] = true;
  }

  @Override
  public void onUnavailable(int shard) {
    matches[ordinalOf(shard)] = true;
  }

  /** Returns the matching shards in query order; at least one. */
  public List<MatchedShard> rankShards() {
    boolean any = false;
    for (boolean match : matches) {
      any |= match;
    }
    if (!any && !ordinals().isEmpty()) {
      matches[ordinals().getFirst()] =
          true; // one shard must answer to give the empty response its shape
    }
    List<Integer> order = new ArrayList<>(IntStream.range(0, matches.length).boxed().toList());
    if (hasComparableRanges()) {
      FieldSortBuilder sort =
          FieldSortBuilder.getPrimaryFieldSortOrNull(parts().scope().request().source());
      order.sort(
          Comparator.<Integer, MinAndMax<?>>comparing(
                  ordinal -> sortRanges[ordinal], MinAndMax.getComparator(sort.order()))
              .thenComparing(ordinal -> parts().scope().shards().get(ordinal).id()));
    }
    return order.stream().map(ordinal -> new MatchedShard(ordinal, !matches[ordinal])).toList();
  }

  /** Returns whether there are ranges, and all have the same type. */
  private boolean hasComparableRanges() {
    Class<?> type = null;
    for (MinAndMax<?> span : sortRanges) {
      if (span == null) {
        continue;
      }
      if (type == null) {
        type = span.getMin().getClass();
      } else if (!type.equals(span.getMin().getClass())) {
        return false;
      }
    }
    return type != null;
  }
}
