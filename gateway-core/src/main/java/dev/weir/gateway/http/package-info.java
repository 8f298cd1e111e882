/**
 * The door for clients, and the way through to a node's REST port: Netty's HTTP codecs, limits,
 * content coding. Confined to the client channel's event loop.
 */
@NullMarked
package dev.weir.gateway.http;

import org.jspecify.annotations.NullMarked;
