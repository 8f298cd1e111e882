/**
 * The HTTP server for clients: listening, TLS, HTTP/1.1 and HTTP/2 pipelines, draining. The
 * assembly creates an {@link dev.weir.http.HttpServer}, whose methods are safe on any thread.
 *
 * <pre>
 *   HTTP/1.1:  lingering close - [proxy protocol] - [tls] - read timestamps - received bytes -
 *                codec - connection
 *                                                 (one ClientConnection per channel)
 *   HTTP/2:    lingering close - [proxy protocol] - [tls] - read timestamps - frames -
 *                control frames - request validator - unread bytes - paused streams - streams - session
 *                                                   `- codec - connection
 *                                                 (one ClientConnection per stream)
 * </pre>
 *
 * The packages below, each of which knows only those further down:
 *
 * <pre>
 *   http          server, pipelines
 *   exchange      one request and its response
 *   intake        headers: route, destination, header filter
 *   connection    order, flow control, timeouts        proxy   requests to nodes' REST ports
 *   response      writers, compression                 body    buffered, streamed, spilled over
 *   options       limits, timeouts                     error   bodies of errors
 *   identity      headers about a client's identity
 * </pre>
 */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
