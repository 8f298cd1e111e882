/**
 * Estimates what the body of a request takes once it is parsed, from its bytes and before it is
 * parsed, and keeps from nodes what their heap has no room for. Called on event loops.
 */
@NullMarked
package dev.weir.rest.estimate;

import org.jspecify.annotations.NullMarked;
