/**
 * Choosing the copy, simulated: data nodes, network and clients in virtual time, and the gateway's
 * own classes (tracker, selectors, second requests, limits) between them. Single-threaded; the same
 * seed gives every policy the same work.
 */
@NullMarked
package dev.weir.bench.simulation;

import org.jspecify.annotations.NullMarked;
