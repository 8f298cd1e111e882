/**
 * Measures how a slow, paused or failing data node of three affects the clients of each path into
 * the cluster, on real nodes, in comparison with an oracle that avoids the node.
 */
@NullMarked
package dev.weir.bench.hotnode;

import org.jspecify.annotations.NullMarked;
