/**
 * The copies of shards that a search may use: those of its indices, or those that its point in time
 * holds, in the order of their ranks. Called on the request's event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.copies;

import org.jspecify.annotations.NullMarked;
