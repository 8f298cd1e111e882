/**
 * Weights of nodes: an operator drains a node before maintenance, and takes it back slowly. The
 * weights are settings of the cluster, so every gateway learns them with the cluster state.
 */
@NullMarked
package dev.weir.gateway.weights;

import org.jspecify.annotations.NullMarked;
