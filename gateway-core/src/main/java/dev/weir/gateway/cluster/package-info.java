/**
 * The cluster as the gateway sees it: followed without joining, published as immutable {@link
 * dev.weir.gateway.cluster.ClusterView}s. Watching runs on virtual threads; a view may be read on
 * any thread.
 */
@NullMarked
package dev.weir.gateway.cluster;

import org.jspecify.annotations.NullMarked;
