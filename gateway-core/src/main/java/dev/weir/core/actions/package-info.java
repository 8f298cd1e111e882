/**
 * One handler for each action (search, bulk, get, ...): resolves the request against the newest
 * view, plans it, and starts its coordination.
 *
 * <p>Only this package starts the state machines of {@code coordinate} for OpenSearch's requests.
 * The REST dispatcher calls it, on the request's event loop.
 */
@NullMarked
package dev.weir.core.actions;

import org.jspecify.annotations.NullMarked;
