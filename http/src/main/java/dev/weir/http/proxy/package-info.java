/**
 * The way through to a node's REST port: a request is sent unchanged over a pooled keep-alive
 * connection and the node's answer streams back, both ways with backpressure. Everything of one
 * request runs on its client channel's event loop; only {@link
 * dev.weir.http.proxy.ProxyTargetSelector} is shared between loops.
 */
@NullMarked
package dev.weir.http.proxy;

import org.jspecify.annotations.NullMarked;
