package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.http.body.BodyTransformer;
import dev.weir.http.intake.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.BodyIndexRenamer;
import dev.weir.routing.traffic.IndexRenamer;
import dev.weir.routing.traffic.QueryParameters;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as the destination of one policy's requests.
 *
 * @param cluster receives the requests
 * @param policy the policy of the requests
 * @param router selects the path of a request on the cluster
 * @param handler handles coordinated requests
 * @param listener is notified of the outcomes
 * @param failover answers reads instead; null while there is none
 */
record ClusterDestination(
    UpstreamCluster cluster,
    RequestPolicy policy,
    RequestRouter router,
    RequestHandler handler,
    Listener listener,
    Supplier<@Nullable ClusterDestination> failover)
    implements Destination {
  /** The parameter with a body in the query. */
  private static final String SOURCE = "source";

  /** Is notified of finished requests. Called on event loops. */
  interface Listener {
    /**
     * A request has finished.
     *
     * @param status of the response; 499 if the client disconnected first
     * @param nodesLost whether nodes were lost or did not answer in time
     */
    void onRequestEnd(int status, boolean nodesLost);

    /** A request fails over to another cluster. */
    void onFailover();
  }

  boolean isUsable() {
    return cluster.unavailableReason() == null;
  }

  /** Why a path and query can't be renamed for the cluster; null if they can. */
  @Nullable String untranslatableReason(String uri) {
    if (cluster.indexRename().isEmpty()) {
      return null;
    }
    if (cluster.indexRename().renameUri(uri)
        instanceof IndexRenamer.Result.Impossible(String reason)) {
      return reason;
    }
    BodyIndexRenamer.BodyFormat form = BodyIndexRenamer.formatOf(uri);
    return form != null
            && form != BodyIndexRenamer.BodyFormat.BULK
            && QueryParameters.has(uri, SOURCE)
        ? "got [source] (expected: a body, as this cluster has its own names of indices)"
        : null;
  }

  @Override
  public NodeProxy proxy() {
    return cluster.proxy();
  }

  @Override
  public String clusterName() {
    return cluster.name();
  }

  @Override
  public String translateUri(String uri) {
    return cluster.rewritePreference(
        !cluster.indexRename().isEmpty()
                && cluster.indexRename().renameUri(uri)
                    instanceof IndexRenamer.Result.Renamed(String known)
            ? known
            : uri);
  }

  @Override
  public boolean transformsBodies() {
    return !cluster.indexRename().isEmpty();
  }

  @Override
  public @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
    return IndexRenamingTransformer.of(cluster.indexRename(), uri, contentType);
  }

  @Override
  public @Nullable Destination failoverDestination(String method, String uri) {
    ClusterDestination instead = failoverFor(method, uri);
    if (instead != null) {
      listener.onFailover();
    }
    return instead;
  }

  @Override
  public boolean hasFailoverDestination(String method, String uri) {
    ClusterDestination instead = failoverFor(method, uri);
    return instead != null && !instead.transformsBodies();
  }

  private @Nullable ClusterDestination failoverFor(String method, String uri) {
    ClusterDestination instead = ActionClassifier.isRead(method, uri) ? failover.get() : null;
    return instead == null || instead.untranslatableReason(uri) != null ? null : instead;
  }

  @Override
  public @Nullable ReleasableRequests releasableRequests() {
    return cluster.releasableRequests();
  }

  @Override
  public @Nullable Supplier<String> serverVersion() {
    return cluster.serverVersion();
  }

  @Override
  public void onRequestEnd(int status, boolean nodesLost) {
    listener.onRequestEnd(status, nodesLost);
  }
}
