/**
 * Deadlines of requests: cancels the work on the nodes when a request's time is up, and tells the
 * nodes how long they may work. Called on the request's event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.deadline;

import org.jspecify.annotations.NullMarked;
