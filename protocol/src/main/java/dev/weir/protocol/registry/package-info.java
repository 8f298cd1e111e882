/**
 * OpenSearch's own registries, built without a node: what reads and writes payloads, queries and
 * aggregations.
 */
@NullMarked
package dev.weir.protocol.registry;

import org.jspecify.annotations.NullMarked;
