/**
 * Reduces terms aggregations from the bytes that shards sent. The buckets of the response stay
 * numbers until a caller reads objects. The reduction of a search calls it, on its own thread.
 */
@NullMarked
package dev.weir.core.reduce.terms;

import org.jspecify.annotations.NullMarked;
