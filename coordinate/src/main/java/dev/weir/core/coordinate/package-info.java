/**
 * The state machines of coordination: which call goes to which copy and when, what is retried, and
 * when a request is done.
 *
 * <p>They know no OpenSearch class: what they send and gather is opaque work behind interfaces of
 * this package, which {@code reduce} and {@code actions} implement. {@code actions} starts them.
 * Those of writes are in {@code write}; the limits that all writes share are here. Confined to the
 * request's event loop.
 */
@NullMarked
package dev.weir.core.coordinate;

import org.jspecify.annotations.NullMarked;
