/**
 * Reduces terms aggregations from the bytes that shards sent: only the buckets that are in the
 * answer become objects.
 */
@NullMarked
package dev.weir.gateway.reduce.terms;

import org.jspecify.annotations.NullMarked;
