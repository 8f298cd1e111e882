package dev.weir.gateway.admin;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.Map;

/**
 * What an operator asks for.
 *
 * @param method GET also for a HEAD
 * @param path without the query, as it was sent
 * @param query decoded parameters by name; of several with one name the first
 */
record AdminRequest(String method, String path, Map<String, String> query, HttpHeaders headers) {}
