/**
 * Measures bulks of log lines into indices with many shards, on real nodes: the throughput and cost
 * of each path, the effect of a slow node, and whether every document survives when nodes are
 * killed.
 */
@NullMarked
package dev.weir.bench.bulk;

import org.jspecify.annotations.NullMarked;
