/**
 * Accounts for the heap that a search's reduction takes: the circuit breaker of one search, the
 * readers that reserve memory before they build objects, and the frames that a search retains.
 *
 * <p>The other packages below {@code reduce} call it, on the request's event loop or on a thread of
 * the reduce pool.
 */
@NullMarked
package dev.weir.core.reduce.memory;

import org.jspecify.annotations.NullMarked;
