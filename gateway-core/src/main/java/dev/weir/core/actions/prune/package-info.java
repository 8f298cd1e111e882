/**
 * Skips shards of a search whose indices have nothing in its time range. Called on the request's
 * event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.prune;

import org.jspecify.annotations.NullMarked;
