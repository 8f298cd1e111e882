/** Measures the cost of ids that belong to a chosen shard: time and allocated bytes, by JMH. */
@NullMarked
package dev.weir.bench.minting;

import org.jspecify.annotations.NullMarked;
