/**
 * Decisions that shorten the tail: second requests, limits on what is under way, waiting for a
 * better node. Pure; classes say on which threads they may be used.
 */
@NullMarked
package dev.weir.routing.tail;

import org.jspecify.annotations.NullMarked;
