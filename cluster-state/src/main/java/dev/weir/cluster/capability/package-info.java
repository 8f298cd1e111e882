/**
 * Which parts of Weir's plugin each node has. The gateway asks a node at each connection, and uses
 * a capability only at nodes that announced it. Safe on any thread; requests may ask for each call.
 */
@NullMarked
package dev.weir.cluster.capability;

import org.jspecify.annotations.NullMarked;
