/**
 * Builds OpenSearch's own registries without a node. They read and write payloads, queries and
 * aggregations.
 */
@NullMarked
package dev.weir.protocol.registry;

import org.jspecify.annotations.NullMarked;
