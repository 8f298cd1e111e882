package dev.weir.gateway.cluster;

import dev.weir.model.NodeEndpoint;
import java.util.Map;
import org.opensearch.cluster.ClusterState;

/**
 * One immutable picture of the cluster.
 *
 * @param state OpenSearch's own state, for its own resolver and routing classes
 * @param nodes every node by id, with its REST address once known
 * @param readAtNanos when it was last confirmed, {@link System#nanoTime()}
 * @param lenient whether it was read from JSON because the binary form had parts the gateway does
 *     not know
 */
public record ClusterView(
    ClusterState state, Map<String, NodeEndpoint> nodes, long readAtNanos, boolean lenient) {}
