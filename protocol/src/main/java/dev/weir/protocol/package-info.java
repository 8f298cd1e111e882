/**
 * A client of OpenSearch's binary transport protocol that is not a member of the cluster. {@link
 * dev.weir.protocol.NodeClients} provides a {@link dev.weir.protocol.NodeClient} for each node. It
 * sends a {@link dev.weir.protocol.NodeCall}, and a {@link dev.weir.protocol.ReplyHandler} receives
 * the one response or failure on the executor that the caller passed. OpenSearch's own classes read
 * and write the payloads.
 */
@NullMarked
package dev.weir.protocol;

import org.jspecify.annotations.NullMarked;
