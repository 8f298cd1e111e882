package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.ingest.IngestPipelines;
import dev.weir.core.actions.lines.LineBulkCounts;
import dev.weir.core.actions.truncate.KeywordTruncationService;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.routing.ReplicaSelector;

/**
 * What the document actions share. Safe on any thread.
 *
 * @param common what all actions share; ranks copies for reads, and interchangeable primaries
 * @param pipelineResolver finds ingest pipelines
 * @param pipelines has nodes run ingest pipelines
 * @param autoCreation decides whether to create a missing index
 * @param singleShardBulks sends documents without an id to one shard
 * @param keywordTruncation truncates values that an index does not accept
 * @param lineBulks counts the bulks whose documents stay lines
 */
record DocumentActionServices(
    ActionServices common,
    IngestPipelineResolver pipelineResolver,
    IngestPipelines pipelines,
    IndexAutoCreation autoCreation,
    SingleShardBulkRouter singleShardBulks,
    KeywordTruncationService keywordTruncation,
    LineBulkCounts lineBulks) {
  CoordinationServices coordination() {
    return common.coordination();
  }

  IndexNameResolver names() {
    return common.names();
  }

  RecentRoutingDecisions recentDecisions() {
    return common.recentDecisions();
  }

  ReplicaSelector selector() {
    return common.selector();
  }
}
