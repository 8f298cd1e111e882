/**
 * Estimates what the body of a request takes once it is parsed, from its bytes and before it is
 * parsed. Pure; called on event loops.
 */
@NullMarked
package dev.weir.rest.estimate;

import org.jspecify.annotations.NullMarked;
