package dev.weir.core.actions.copies;

import dev.weir.core.reduce.query.SampledShards;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import dev.weir.model.NodeCallType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.Index;
import org.opensearch.search.internal.AliasFilter;

/**
 * The shards and copies that a search goes to.
 *
 * @param indices concrete indices
 * @param shards their shards, in the order of ShardId
 * @param copies for each shard the nodes with a copy
 * @param work the type of a query call to one of the shards
 * @param aliasFilters filters of aliases by index uuid
 * @param routings routing values by index name
 * @param sample the sample that the shards are; null for all shards
 */
public record SearchTarget(
    List<Index> indices,
    List<ShardScope> shards,
    List<OrderedCopies> copies,
    NodeCallType work,
    Map<String, AliasFilter> aliasFilters,
    Map<String, Set<String>> routings,
    @Nullable SampledShards sample) {}
