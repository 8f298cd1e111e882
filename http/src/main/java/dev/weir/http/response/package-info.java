/**
 * Writes responses that the gateway makes itself, buffered or streamed, and compresses them. Knows
 * neither requests nor connections; it writes to a {@link dev.weir.http.response.ResponseChannel}.
 * The exchange package calls it on the request's event loop.
 */
@NullMarked
package dev.weir.http.response;

import org.jspecify.annotations.NullMarked;
