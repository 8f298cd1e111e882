/**
 * The cluster as the gateway sees it: followed without joining, published as immutable {@link
 * dev.weir.cluster.ClusterView}s, and asked which copies of which shards a request goes to.
 *
 * <p>{@link dev.weir.cluster.ClusterFollower} polls on virtual threads and never blocks a reader of
 * a view. Views, and the resolvers that read them ({@link dev.weir.cluster.SearchShardResolver},
 * {@link dev.weir.cluster.DocumentShardResolver}, {@link dev.weir.cluster.IndexNameResolver}), are
 * safe on any thread and do no I/O.
 */
@NullMarked
package dev.weir.cluster;

import org.jspecify.annotations.NullMarked;
