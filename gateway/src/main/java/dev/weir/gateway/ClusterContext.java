package dev.weir.gateway;

import dev.weir.cluster.ClusterFollower;
import dev.weir.gateway.authorization.ClusterAuthorization;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.ReleasableRequests;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What the parts of one cluster share.
 *
 * @param name the cluster's name in the configuration
 * @param registries of this cluster alone: they hold its dynamic settings
 * @param authorization who checks a client's permissions
 * @param requests those under way on the cluster
 * @param hasOtherClusters whether another cluster may answer when nodes are lost
 */
record ClusterContext(
    String name,
    SharedServices shared,
    ClusterConnection connection,
    OpenSearchRegistries registries,
    ClusterAuthorization authorization,
    ReleasableRequests requests,
    boolean hasOtherClusters) {

  /** Returns the present rules of the cluster's nodes for REST requests. */
  Supplier<NodeRequestRules> nodeRules() {
    ClusterFollower follower = connection.nodes().follower();
    return () -> follower.current().settings().requestRules();
  }

  /** Returns whether the cluster's nodes stream searches at present. */
  BooleanSupplier streamSearch() {
    ClusterFollower follower = connection.nodes().follower();
    return () -> follower.current().settings().search().features().streamSearch();
  }
}
