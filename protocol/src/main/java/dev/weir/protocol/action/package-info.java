/**
 * The small calls to nodes that need no coordination: cluster state, node info, cancellation.
 * Factories only; pure, any thread.
 */
@NullMarked
package dev.weir.protocol.action;

import org.jspecify.annotations.NullMarked;
