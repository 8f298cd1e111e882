/**
 * The earliest and the latest times of indices that cannot change, learned in the background, and
 * the proof that such an index has not changed since.
 *
 * <p>{@link dev.weir.cluster.bounds.BoundsLearner} reads them on one virtual thread. {@link
 * dev.weir.cluster.bounds.BoundsRegistry} determines which bounds hold under one cluster state,
 * provided that the nodes have that state; {@link dev.weir.cluster.bounds.NodePositionChecker} asks
 * them. Both are safe on any thread and never block.
 */
@NullMarked
package dev.weir.cluster.bounds;

import org.jspecify.annotations.NullMarked;
