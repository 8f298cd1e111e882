package dev.weir.gateway.admin;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.Map;

/**
 * A request on the admin port.
 *
 * @param method {@code GET} for a HEAD request, too
 * @param path without the query, undecoded
 * @param query decoded parameters by name; the first value of a repeated parameter
 */
record AdminRequest(String method, String path, Map<String, String> query, HttpHeaders headers) {}
