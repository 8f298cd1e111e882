package dev.weir.responses.sampling;

import org.opensearch.search.aggregations.InternalAggregation;

/**
 * One shard's result of a metric.
 *
 * @param shardIndex the shard's index among those that responded
 */
record ShardMetric(int shardIndex, InternalAggregation metric) {}
