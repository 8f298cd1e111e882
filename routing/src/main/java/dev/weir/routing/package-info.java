/**
 * Which copy, in which order, what after a failure. Pure: no I/O, no threads of its own; clock and
 * randomness are constructor parameters. Called on any event loop; what is shared between loops is
 * safe for it.
 */
@NullMarked
package dev.weir.routing;

import org.jspecify.annotations.NullMarked;
