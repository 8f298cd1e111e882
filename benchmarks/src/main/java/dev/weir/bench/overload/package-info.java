/**
 * Measures load beyond the cluster's capacity, and the effect of oversized requests on other
 * clients.
 */
@NullMarked
package dev.weir.bench.overload;

import org.jspecify.annotations.NullMarked;
