/**
 * Carries out one search with OpenSearch's own classes: implements the interfaces that {@code
 * coordinate} drives, and sends the response to the client.
 *
 * <p>The packages below contain the parts: calls ({@code round}), reduction ({@code query}, {@code
 * terms}), hits, the response, memory accounting, scrolls and points in time ({@code context}).
 * Confined to the request's event loop; large reductions run on a fixed pool.
 */
@NullMarked
package dev.weir.core.reduce;

import org.jspecify.annotations.NullMarked;
