/**
 * Finds what a parsed search asks that only a node can answer, such as scripts in its reduction.
 * Called before the search is planned, on the request's event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.passthrough;

import org.jspecify.annotations.NullMarked;
