package dev.weir.core.actions;

import dev.weir.core.actions.truncate.KeywordTruncation;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.cluster.IndexNames;
import dev.weir.core.coordinate.Environment;
import dev.weir.routing.ReplicaSelector;

/**
 * What the document actions share. Safe on any thread.
 *
 * @param environment what the state machines reach the world through
 * @param names resolves names
 * @param recent orders copies for reads, and primaries where any of them will do; keeps why
 * @param pipelines finds ingest pipelines
 * @param autoCreate decides whether a missing index is created
 * @param directed sends documents without an id to one shard
 * @param truncation cuts values that an index does not take
 */
record DocumentTools(
    Environment environment,
    IndexNames names,
    RecentChoices recent,
    WritePipelines pipelines,
    WriteAutoCreate autoCreate,
    DirectedBulks directed,
    KeywordTruncation truncation) {
  ReplicaSelector selector() {
    return recent.selector();
  }
}
