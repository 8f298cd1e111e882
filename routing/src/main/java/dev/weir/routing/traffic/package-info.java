/**
 * Chooses the cluster and the policy of a request. Pure: no I/O, no threads of its own; the clock
 * is a constructor parameter. Safe on any thread.
 */
@NullMarked
package dev.weir.routing.traffic;

import org.jspecify.annotations.NullMarked;
