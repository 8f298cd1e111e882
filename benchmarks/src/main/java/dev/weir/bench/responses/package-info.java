/** Measures the cost and the bytes of responses by size, shape and format. */
@NullMarked
package dev.weir.bench.responses;

import org.jspecify.annotations.NullMarked;
