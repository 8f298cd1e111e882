/** Measures what clients notice of restarts and maintenance of data nodes. */
@NullMarked
package dev.weir.bench.restart;

import org.jspecify.annotations.NullMarked;
