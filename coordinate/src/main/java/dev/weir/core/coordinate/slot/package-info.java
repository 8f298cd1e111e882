/**
 * Counts the calls in flight to each node, and what they cost their tenants. The sender of calls
 * uses it. Safe on any thread.
 */
@NullMarked
package dev.weir.core.coordinate.slot;

import org.jspecify.annotations.NullMarked;
