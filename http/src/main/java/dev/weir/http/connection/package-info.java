/**
 * The connections of clients: the order of requests and responses, flow control, timeouts and
 * draining. A connection drives exchanges through {@link
 * dev.weir.http.connection.ConnectionExchange} and does not know what they do; an exchange writes
 * through its {@link dev.weir.http.connection.ExchangeChannel}. The server puts connections into
 * pipelines. Everything of one connection is confined to its event loop.
 */
@NullMarked
package dev.weir.http.connection;

import org.jspecify.annotations.NullMarked;
