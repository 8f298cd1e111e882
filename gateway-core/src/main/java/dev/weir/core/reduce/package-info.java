/**
 * What is sent to shards and how their answers become one: OpenSearch's own request, reduce and
 * merge classes behind types that coordinate can hold. Confined to the request's home, big
 * reductions to a fixed pool.
 */
@NullMarked
package dev.weir.core.reduce;

import org.jspecify.annotations.NullMarked;
