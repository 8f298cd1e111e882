/**
 * The cluster as the gateway sees it: followed without joining, published as immutable {@link
 * dev.weir.cluster.ClusterView}s, and asked which copies of which shards a request goes to.
 *
 * <p>{@link dev.weir.cluster.ClusterFollower} watches on virtual threads and never blocks whoever
 * reads a view. Views, and what answers from them ({@link dev.weir.cluster.SearchShardResolver},
 * {@link dev.weir.cluster.DocumentShardResolver}, {@link dev.weir.cluster.IndexNameResolver}), are
 * safe on any thread and do no I/O.
 */
@NullMarked
package dev.weir.cluster;

import org.jspecify.annotations.NullMarked;
