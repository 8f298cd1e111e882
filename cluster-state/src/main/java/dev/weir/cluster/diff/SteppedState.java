package dev.weir.cluster.diff;

import dev.weir.cluster.read.BucketedMap;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.IndexRoutingTable;

/**
 * A state that steps change.
 *
 * @param state as the nodes have it: without the gateway
 * @param routing the entries of its routing table
 */
public record SteppedState(ClusterState state, BucketedMap<IndexRoutingTable> routing) {}
