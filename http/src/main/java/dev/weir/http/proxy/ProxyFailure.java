package dev.weir.http.proxy;

/**
 * Why a node's answer could not be passed on.
 *
 * @param status what the client is told when no byte of an answer has left: 429, 502, 503 or 504
 * @param type the error's type, in OpenSearch's spelling
 * @param reason what happened, for people
 */
public record ProxyFailure(int status, String type, String reason) {}
