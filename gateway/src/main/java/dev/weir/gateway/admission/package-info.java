/**
 * Admits or rejects the requests of clients: tenants, rate limits, the limit of requests in flight,
 * and memory. The decisions are in module {@code admission}; this package applies them to HTTP
 * requests, records rejections, and reports metrics. Called on event loops; nothing here blocks.
 */
@NullMarked
package dev.weir.gateway.admission;

import org.jspecify.annotations.NullMarked;
