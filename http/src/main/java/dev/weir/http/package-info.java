/**
 * The door for clients: Netty's HTTP codecs, limits, content coding, pipelining, HTTP/2. Confined
 * to the client channel's event loop.
 *
 * <pre>
 *   HTTP/1.1:  [tls] - bytes - codec - connection            (one ClientConnection a channel)
 *   HTTP/2:    [tls] - bytes - frames - streams - session
 *                                          `- objects - connection   (one ClientConnection a stream)
 *
 *   ClientConnection  order of requests and answers, backpressure, timeouts
 *   Intake            what was decoded and has to wait, and why no more is read
 *     Exchange        one request: its body goes to a BodySink, its answer comes from an Answer
 *       Entry         - HeaderFilter                          before its body is read
 *       BufferedBody  - RequestHandler - BufferedResponseWriter      coordinated
 *       StreamedBody  - the same, section by section      coordinated while it comes
 *       ProxiedResponse   - NodeProxy      - ProxiedResponse      passed through
 * </pre>
 */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
