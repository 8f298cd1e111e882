/**
 * The OpenSearch plugin {@code weir-data-node}: what the nodes of a cluster need to know of the
 * gateway in front of them. It runs inside the nodes, and knows OpenSearch and the JDK alone.
 */
@NullMarked
package dev.weir.node;

import org.jspecify.annotations.NullMarked;
