/**
 * Load beyond what the cluster can do, and requests that are too big: what is left for the others.
 */
@NullMarked
package dev.weir.bench.overload;

import org.jspecify.annotations.NullMarked;
