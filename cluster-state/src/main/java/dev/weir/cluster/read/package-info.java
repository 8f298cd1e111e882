/**
 * Decodes responses with cluster states, and reuses the objects of the parts that have not changed.
 *
 * <p>A node that does not belong to the cluster cannot subscribe to changes: each response has the
 * whole state, or all of some indices. {@link dev.weir.cluster.read.StateDecoder} keeps the bytes
 * of the newest response. Where a part has the same bytes in the next one, it returns the object of
 * then, so decoding and allocation cost as much as what changed, and two states share what is
 * equal. {@link dev.weir.cluster.read.BucketedMap} makes the maps of two states share their entries
 * too.
 *
 * <p>{@link dev.weir.cluster.ClusterFollower} is the only caller, on its polling thread. The
 * objects returned are immutable.
 */
@NullMarked
package dev.weir.cluster.read;

import org.jspecify.annotations.NullMarked;
