package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.routing.ReplicaSelector;

/**
 * What the document actions share. Safe on any thread.
 *
 * @param coordination what the state machines reach the world through
 * @param names resolves names
 * @param recentDecisions orders copies for reads, and primaries where any of them will do; keeps
 *     why
 * @param pipelineResolver finds ingest pipelines
 * @param autoCreation decides whether a missing index is created
 * @param singleShardBulks sends documents without an id to one shard
 * @param keywordTruncation cuts values that an index does not take
 */
record DocumentActionServices(
    CoordinationServices coordination,
    IndexNameResolver names,
    RecentRoutingDecisions recentDecisions,
    IngestPipelineResolver pipelineResolver,
    IndexAutoCreation autoCreation,
    SingleShardBulkRouter singleShardBulks,
    KeywordTruncationService keywordTruncation) {
  ReplicaSelector selector() {
    return recentDecisions.selector();
  }
}
