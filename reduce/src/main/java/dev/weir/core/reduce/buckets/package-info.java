/**
 * Reduces histograms bucket by bucket from the bytes that shards sent. Shards sort their buckets by
 * key, so a merge needs the objects of one bucket of each shard at a time. A finished bucket is
 * written as JSON at once, and its objects become garbage: a reduction takes the memory of its
 * response and of one bucket. OpenSearch's own classes reduce the contents of a bucket, fill gaps
 * and sort. The reduction of a search calls this package, on its own thread.
 */
@NullMarked
package dev.weir.core.reduce.buckets;

import org.jspecify.annotations.NullMarked;
