/**
 * The plan of a search as inert data: which shards, which copies, in which order. Knows no
 * OpenSearch class and does no I/O; safe on any thread.
 */
@NullMarked
package dev.weir.core.plan;

import org.jspecify.annotations.NullMarked;
