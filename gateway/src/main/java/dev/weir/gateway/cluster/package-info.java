/**
 * The connection to one cluster: its nodes, the selection of copies, and the admission of requests
 * to nodes. Called on event loops; nothing here blocks.
 */
@NullMarked
package dev.weir.gateway.cluster;

import org.jspecify.annotations.NullMarked;
