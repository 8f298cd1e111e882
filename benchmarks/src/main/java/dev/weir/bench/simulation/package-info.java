/**
 * Simulates replica selection: data nodes, network and clients in virtual time, with the gateway's
 * own classes (tracker, selectors, hedging, limits) between them. Single-threaded; with the same
 * seed every strategy gets the same requests.
 */
@NullMarked
package dev.weir.bench.simulation;

import org.jspecify.annotations.NullMarked;
