/** Measures the memory of a gateway over an hour of mixed load. */
@NullMarked
package dev.weir.bench.soak;

import org.jspecify.annotations.NullMarked;
