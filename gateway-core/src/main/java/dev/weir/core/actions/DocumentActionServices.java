package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.routing.ReplicaSelector;

/**
 * What the document actions share. Safe on any thread.
 *
 * @param coordination what the state machines use
 * @param names resolves index names
 * @param recentDecisions ranks copies for reads, and interchangeable primaries; records why
 * @param pipelineResolver finds ingest pipelines
 * @param autoCreation decides whether to create a missing index
 * @param singleShardBulks sends documents without an id to one shard
 * @param keywordTruncation truncates values that an index does not accept
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
