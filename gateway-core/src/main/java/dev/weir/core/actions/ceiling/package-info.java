/**
 * The ceilings of searches on data nodes: the gateway's side of the single-request circuit breaker.
 *
 * <p>{@link dev.weir.core.actions.ceiling.NodeCeilings} adds a header to the calls of a search,
 * which nodes with the plugin {@code weir-data-node} enforce, and others ignore. Called on the
 * request's event loop.
 */
@NullMarked
package dev.weir.core.actions.ceiling;

import org.jspecify.annotations.NullMarked;
