/**
 * One request and its response from the first byte to the last: coordinated by a handler, or passed
 * through to a node.
 *
 * <pre>
 *   ClientExchange                         its life, see ExchangeState
 *     CoordinatedExchange, CoordinatedBody   a request as its RequestHandler sees it
 *     ProxiedResponse                        a node's response
 * </pre>
 *
 * The connection package drives it through an interface; nothing else calls it, except handlers,
 * through {@link dev.weir.model.HttpExchange}. Confined to the request's event loop, to which
 * responses given on other threads move.
 */
@NullMarked
package dev.weir.http.exchange;

import org.jspecify.annotations.NullMarked;
