/**
 * Whether a write is repeated: what a node's error says about it, how a node recognizes the items
 * of a user when they arrive again, and which error reports an unknown outcome. The operations of
 * {@code actions} call it on the request's event loop.
 */
@NullMarked
package dev.weir.core.actions.retry;

import org.jspecify.annotations.NullMarked;
