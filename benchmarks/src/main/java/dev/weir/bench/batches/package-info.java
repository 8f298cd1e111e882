/**
 * Measures searches of, and bulks into, many shards, in front of nodes with the plugin, which take
 * several shards' requests in one message, and of nodes without it.
 */
@NullMarked
package dev.weir.bench.batches;

import org.jspecify.annotations.NullMarked;
