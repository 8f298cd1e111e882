/**
 * The state machines of coordination: what is sent to which copy when, what is retried where, and
 * when a request is done. Knows no OpenSearch class: what it sends and gathers is opaque work made
 * by {@code reduce}. Confined to the request's home.
 */
@NullMarked
package dev.weir.core.coordinate;

import org.jspecify.annotations.NullMarked;
