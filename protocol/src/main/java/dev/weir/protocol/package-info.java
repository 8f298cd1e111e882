/**
 * A client of OpenSearch's binary transport protocol that is no member of the cluster. {@link
 * dev.weir.protocol.NodeClients} gives a {@link dev.weir.protocol.NodeClient} a node; a {@link
 * dev.weir.protocol.NodeCall} goes out, a {@link dev.weir.protocol.ReplyHandler} hears the one
 * outcome, on the executor that the caller named. Payloads are read and written with OpenSearch's
 * own classes.
 */
@NullMarked
package dev.weir.protocol;

import org.jspecify.annotations.NullMarked;
