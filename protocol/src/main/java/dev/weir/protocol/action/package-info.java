/**
 * Creates the small calls to nodes that need no coordination: cluster state, node info, task
 * cancellation. Pure; safe on any thread.
 */
@NullMarked
package dev.weir.protocol.action;

import org.jspecify.annotations.NullMarked;
