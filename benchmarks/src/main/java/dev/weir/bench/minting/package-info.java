/** What ids that belong to a chosen shard cost: time and bytes allocated, by JMH. */
@NullMarked
package dev.weir.bench.minting;

import org.jspecify.annotations.NullMarked;
