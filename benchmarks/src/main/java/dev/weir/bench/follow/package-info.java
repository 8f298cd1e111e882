/**
 * Measures gateways that follow a cluster of real nodes: how stale their views are after a shard
 * has moved, and what they cost the nodes.
 */
@NullMarked
package dev.weir.bench.follow;

import org.jspecify.annotations.NullMarked;
