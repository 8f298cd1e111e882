package dev.weir.model;

/**
 * The result of one request whose response has been sent: the one record that feeds metrics and the
 * access log.
 *
 * @param startedMillis wall clock at the request's first byte, milliseconds since the epoch
 * @param remoteAddress the client's address
 * @param method the method
 * @param uri path and query as sent
 * @param protocol such as HTTP/1.1
 * @param path {@code coordinated}, {@code passthrough} or {@code local}
 * @param action the kind of request: {@code search}, {@code bulk}, ... or {@code other}
 * @param reason why it passed through; empty otherwise
 * @param status the HTTP status; 499 if the client disconnected first
 * @param requestBytes body bytes as received, before content decoding
 * @param responseBytes body bytes as sent, after content coding
 * @param durationNanos from the request's first byte to the response's last
 * @param opaqueId the client's X-Opaque-Id; empty for none
 * @param taskId the gateway's number for the request, see {@link RequestContext#taskId()}; 0 for
 *     none
 * @param cluster the configured name of the cluster that the request went to; empty for none
 * @param tenant who the request counts for in limits; {@link RequestContext#DEFAULT_TENANT} without
 *     one
 * @param traceParent the W3C trace header sent to nodes: with the request's own span if it is
 *     recorded, otherwise as the client sent it; empty for none
 */
public record CompletedRequest(
    long startedMillis,
    String remoteAddress,
    String method,
    String uri,
    String protocol,
    String path,
    String action,
    String reason,
    int status,
    long requestBytes,
    long responseBytes,
    long durationNanos,
    String opaqueId,
    long taskId,
    String cluster,
    String tenant,
    String traceParent) {}
