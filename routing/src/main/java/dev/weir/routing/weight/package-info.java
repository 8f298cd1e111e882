/**
 * How much traffic an operator lets each node have: nodes that are drained for maintenance, and
 * nodes that are taken back slowly.
 */
@NullMarked
package dev.weir.routing.weight;

import org.jspecify.annotations.NullMarked;
