/**
 * The OpenSearch plugin {@code weir-data-node}: what the nodes of a cluster need to know of the
 * gateway in front of them, and codecs for stored fields. It runs inside the nodes, and knows the
 * JDK and what a node has alone.
 */
@NullMarked
package dev.weir.node;

import org.jspecify.annotations.NullMarked;
