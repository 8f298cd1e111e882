/**
 * What the checks look at: the settings, nodes, indices and shards of a cluster, and the traffic of
 * a gateway, each read once. Reading blocks; it belongs on a thread that may wait. What was read is
 * immutable.
 */
@NullMarked
package dev.weir.advice.snapshot;

import org.jspecify.annotations.NullMarked;
