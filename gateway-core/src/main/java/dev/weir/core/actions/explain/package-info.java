/**
 * Stores routing decisions and rejections of the newest requests, so that operators and clients can
 * ask why a copy was chosen or a request rejected.
 *
 * <p>Written on the request's event loop, read on any thread.
 */
@NullMarked
package dev.weir.core.actions.explain;

import org.jspecify.annotations.NullMarked;
