/**
 * Passes requests through to nodes' REST ports: a request is sent unchanged over a pooled
 * keep-alive connection and the node's response streams back, both ways with backpressure. The
 * intake and exchange packages call it for clients; modules above send copies of requests through
 * {@link dev.weir.http.proxy.InternalProxiedRequest}. Everything of one request runs on its client
 * channel's event loop; {@link dev.weir.http.proxy.ProxyTargetSelector} and the statistics are
 * shared between loops and safe on any thread.
 */
@NullMarked
package dev.weir.http.proxy;

import org.jspecify.annotations.NullMarked;
