/**
 * Reduces terms aggregations from the bytes that shards sent: the buckets of the answer stay
 * numbers until somebody wants objects. Called by the reduction of a search, on its thread.
 */
@NullMarked
package dev.weir.core.reduce.terms;

import org.jspecify.annotations.NullMarked;
