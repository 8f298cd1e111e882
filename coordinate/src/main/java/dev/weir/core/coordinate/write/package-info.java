/**
 * Coordinates writes: routes each operation to its primary shard, sends it, retries what a node
 * rejected, and waits for the cluster's next view where a shard has moved. Each write is confined
 * to its request's event loop.
 */
@NullMarked
package dev.weir.core.coordinate.write;

import org.jspecify.annotations.NullMarked;
