/** Small bulks of several clients that go to a shard together. */
@NullMarked
package dev.weir.gateway.actions.merge;

import org.jspecify.annotations.NullMarked;
