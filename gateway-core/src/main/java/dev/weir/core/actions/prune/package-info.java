/**
 * Which shards a search does without because their indices have nothing from the time that it asks
 * for. Called on the request's event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.prune;

import org.jspecify.annotations.NullMarked;
