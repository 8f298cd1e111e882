/**
 * The earliest and the latest times of indices that can't change, learned in the background, and
 * the proof that such an index has not changed since.
 *
 * <p>{@link dev.weir.cluster.bounds.BoundsLearner} reads on one virtual thread. {@link
 * dev.weir.cluster.bounds.BoundsRegistry} says, for one state of the cluster, which bounds hold if
 * that state is what the nodes have; {@link dev.weir.cluster.bounds.NodePositionChecker} asks them.
 * Both are safe on any thread and never block.
 */
@NullMarked
package dev.weir.cluster.bounds;

import org.jspecify.annotations.NullMarked;
