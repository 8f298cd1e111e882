/**
 * The state machines of coordination: which call goes to which copy and when, what is retried, and
 * when a request is done.
 *
 * <p>They know no OpenSearch class: what they send and gather is opaque work behind interfaces of
 * this package, which {@code reduce} and {@code actions} implement. {@code actions} starts them.
 * Confined to the request's event loop.
 */
@NullMarked
package dev.weir.core.coordinate;

import org.jspecify.annotations.NullMarked;
