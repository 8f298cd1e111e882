/**
 * Bulks of log lines into indices of many shards, on real nodes: what each path writes, what it
 * costs, what a slow node does, and whether all is there after nodes were killed.
 */
@NullMarked
package dev.weir.bench.bulk;

import org.jspecify.annotations.NullMarked;
