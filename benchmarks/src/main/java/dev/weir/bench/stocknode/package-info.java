/**
 * Measures what a stock node does with segments, shards, aggregations, its query cache, merges and
 * fetches, so that the documents can say what an operator should set.
 */
@NullMarked
package dev.weir.bench.stocknode;

import org.jspecify.annotations.NullMarked;
