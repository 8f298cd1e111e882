/**
 * Reports the gateway itself to operators: requests, clusters, routing, and the process. A feature
 * reports itself through its own {@code StatsReporter}. Called on virtual threads.
 */
@NullMarked
package dev.weir.gateway.stats;

import org.jspecify.annotations.NullMarked;
