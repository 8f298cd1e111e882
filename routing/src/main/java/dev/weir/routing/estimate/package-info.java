/**
 * Small estimators that learn about one node from its responses. They have no clock or randomness
 * of their own; their user confines the mutable ones.
 */
@NullMarked
package dev.weir.routing.estimate;

import org.jspecify.annotations.NullMarked;
