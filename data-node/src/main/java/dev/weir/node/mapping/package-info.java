/**
 * Identical mapping updates of many shards go to the cluster manager once.
 *
 * <p>{@link dev.weir.node.mapping.MappingUpdateCoalescer} filters the automatic updates on every
 * node: first where the shards are, then on the cluster manager, where the updates of several nodes
 * meet. OpenSearch calls it on write and transport threads.
 */
@NullMarked
package dev.weir.node.mapping;

import org.jspecify.annotations.NullMarked;
