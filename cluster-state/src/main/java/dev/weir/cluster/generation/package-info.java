/**
 * Asks nodes with Weir's plugin for the generations of the readers of copies of shards, many copies
 * in one message. While the generation of a copy stays the same, a search on it answers the same.
 * Immutable values.
 */
@NullMarked
package dev.weir.cluster.generation;

import org.jspecify.annotations.NullMarked;
