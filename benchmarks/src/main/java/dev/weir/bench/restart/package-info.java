/** Measures what clients notice of a rolling restart of the data nodes. */
@NullMarked
package dev.weir.bench.restart;

import org.jspecify.annotations.NullMarked;
