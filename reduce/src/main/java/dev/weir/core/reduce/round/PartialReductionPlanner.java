package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.coordinate.batch.PartialReduction.Part;
import dev.weir.core.coordinate.batch.PartialReductionSupport;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.ScoreSortBuilder;

/**
 * Decides what nodes may leave out of the results of a search's shards, so that the response stays
 * the same bit for bit.
 *
 * <p>A search needs, of the shards of one node, only the best {@code from + size} hits: the gateway
 * orders hits by score or by sort values, then by shard, then by their place in the shard's result,
 * and every hit that a node leaves out has that many before it in this order. Aggregations of some
 * kinds may be merged if the gateway reduces those of all shards at once. Sort values and buckets
 * are compared across shards, so all indices of the search must have the same mapping. Everything
 * else in a shard's result stays: counts of hits, the best score. Safe on any thread.
 */
public final class PartialReductionPlanner {
  /** The most hits by fields: the gateway compares those of each node again. */
  private static final int MAX_SORTED_HITS = 1000;

  private PartialReductionPlanner() {}

  /** Returns what nodes may leave out; null for nothing, or if none of the shards' nodes can. */
  public static @Nullable PartialReduction plan(
      SearchScope scope, PartialReductionSupport support) {
    SearchRequest request = scope.request();
    SearchSourceBuilder source = request.source();
    if (scope.shards().size() < 2
        || scope.sample() != null
        || request.scroll() != null
        || request.searchType() != SearchType.QUERY_THEN_FETCH
        || (source != null && !isPlain(source))) {
      return null;
    }
    int from = source == null ? 0 : Math.max(0, source.from());
    int size = source == null || source.size() < 0 ? SearchService.DEFAULT_SIZE : source.size();
    long maxHits = size == 0 ? 0 : (long) from + size;
    Set<Part> parts = parts(scope, source, maxHits, support);
    return parts.isEmpty()
        ? null
        : new PartialReduction((int) Math.min(maxHits, Integer.MAX_VALUE), parts, support.counts());
  }

  /** Returns whether a result has nothing that is known of the shard alone, beside its hits. */
  private static boolean isPlain(SearchSourceBuilder source) {
    return isEmpty(source.ext())
        && source.suggest() == null
        && source.pointInTimeBuilder() == null
        && !source.profile();
  }

  private static Set<Part> parts(
      SearchScope scope,
      @Nullable SearchSourceBuilder source,
      long maxHits,
      PartialReductionSupport support) {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    boolean isSorted =
        source != null
            && maxHits > 0
            && maxHits <= MAX_SORTED_HITS
            && !hasHitsByScoreAlone(source)
            && hasHitsByFieldsAlone(source)
            && hasNodeFor(Part.HITS_BY_FIELDS, scope, support);
    boolean hasMergeable =
        source != null
            && MergeableAggregations.areAll(source.aggregations())
            && scope.shards().size() <= scope.request().getBatchedReduceSize()
            && hasNodeFor(Part.AGGREGATIONS, scope, support);
    boolean isComparable = (isSorted || hasMergeable) && haveSameMapping(scope, support);
    boolean merges = hasMergeable && isComparable;
    if (merges) {
      parts.add(Part.AGGREGATIONS);
    }
    if (maxHits == 0 && merges) {
      parts.add(Part.HITS_BY_SCORE); // there are none, so a result has no search context
    }
    if (maxHits == 0 || maxHits > Integer.MAX_VALUE) {
      return parts;
    }
    if (source == null || hasHitsByScoreAlone(source)) {
      if (hasNodeFor(Part.HITS_BY_SCORE, scope, support)) {
        parts.add(Part.HITS_BY_SCORE);
      }
    } else if (isSorted && isComparable) {
      parts.add(Part.HITS_BY_FIELDS);
    }
    return parts;
  }

  /** Returns whether shards return hits in the order of their scores, and of nothing else. */
  private static boolean hasHitsByScoreAlone(SearchSourceBuilder source) {
    return isEmpty(source.sorts())
        && isEmpty(source.rescores())
        && source.searchAfter() == null
        && source.collapse() == null;
  }

  /** Returns whether shards return hits in the order of values of fields, or scores. */
  private static boolean hasHitsByFieldsAlone(SearchSourceBuilder source) {
    return !isEmpty(source.sorts())
        && source.sorts().stream()
            .allMatch(sort -> sort instanceof FieldSortBuilder || sort instanceof ScoreSortBuilder)
        && isEmpty(source.rescores())
        && source.collapse() == null;
  }

  /** Returns whether a node with a copy of one of the shards can reduce a part of results. */
  private static boolean hasNodeFor(Part part, SearchScope scope, PartialReductionSupport support) {
    if (!support.mayReduce(part)) {
      return false;
    }
    List<ShardScope> shards = scope.shards();
    if (isOnNodeFor(part, shards.getFirst(), scope, support)) {
      return true; // as a rule all nodes can, or none
    }
    for (DiscoveryNode node : scope.state().nodes()) {
      if (support.canReduce(node.getId(), part)) {
        return shards.stream().anyMatch(shard -> isOnNodeFor(part, shard, scope, support));
      }
    }
    return false;
  }

  private static boolean isOnNodeFor(
      Part part, ShardScope shard, SearchScope scope, PartialReductionSupport support) {
    IndexRoutingTable index = scope.state().routingTable().index(shard.id().getIndex());
    IndexShardRoutingTable copies = index == null ? null : index.shard(shard.id().id());
    if (copies == null) {
      return false;
    }
    for (ShardRouting copy : copies) {
      String node = copy.currentNodeId();
      if (node != null && support.canReduce(node, part)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether all indices have the same fields. */
  private static boolean haveSameMapping(SearchScope scope, PartialReductionSupport support) {
    Set<Index> indices = new LinkedHashSet<>(); // the first is the same in similar searches
    for (ShardScope shard : scope.shards()) {
      indices.add(shard.id().getIndex());
    }
    if (indices.size() == 1) {
      return true;
    }
    List<IndexMetadata> compared = new ArrayList<>(indices.size());
    for (Index index : indices) {
      IndexMetadata found = scope.state().metadata().index(index);
      if (found == null) {
        return false;
      }
      compared.add(found);
    }
    return support.mappings().areSame(compared);
  }

  private static boolean isEmpty(@Nullable List<?> parts) {
    return parts == null || parts.isEmpty();
  }
}
