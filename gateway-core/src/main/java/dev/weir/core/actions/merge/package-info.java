/**
 * Merges small bulks of several clients that go to the same shard.
 *
 * <p>Confined to the event loop of the requests.
 */
@NullMarked
package dev.weir.core.actions.merge;

import org.jspecify.annotations.NullMarked;
