package dev.weir.http.proxy;

/**
 * Why a node's response could not be passed on.
 *
 * @param status the client's status if no byte of a response has left: 429, 502, 503 or 504
 * @param type the error's type, in OpenSearch's spelling
 * @param reason the message
 */
public record ProxyFailure(int status, String type, String reason) {}
