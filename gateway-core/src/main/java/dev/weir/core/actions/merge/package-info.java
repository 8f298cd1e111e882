/** Small bulks of several clients that go to a shard together. */
@NullMarked
package dev.weir.core.actions.merge;

import org.jspecify.annotations.NullMarked;
