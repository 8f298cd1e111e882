/**
 * Determines who checks a client's permissions on each cluster: a node, the gateway, or nobody. The
 * assembly creates one {@code ClusterAuthorization} for each cluster; route filters and reporters
 * read it on any thread, and nothing here blocks an event loop.
 */
@NullMarked
package dev.weir.gateway.authorization;

import org.jspecify.annotations.NullMarked;
