/**
 * What a request is going to do, as inert data: which shards, which copies, in which order. Knows
 * no OpenSearch class; no I/O.
 */
@NullMarked
package dev.weir.core.plan;

import org.jspecify.annotations.NullMarked;
