/** Measures what estimates from a sample of shards save the data nodes. */
@NullMarked
package dev.weir.bench.sampling;

import org.jspecify.annotations.NullMarked;
