package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.Actions;
import dev.weir.http.BodyChange;
import dev.weir.http.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.BodyRename;
import dev.weir.routing.traffic.IndexRename;
import dev.weir.routing.traffic.QueryParameters;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as the requests of one policy reach it.
 *
 * @param cluster to which they go
 * @param policy by which they go
 * @param router decides which way they go there
 * @param handler takes those that are coordinated
 * @param watch hears how they ended
 * @param other answers reads instead; null while there is none
 */
record ChosenCluster(
    Cluster cluster,
    RequestPolicy policy,
    RequestRouter router,
    RequestHandler handler,
    Watch watch,
    Supplier<@Nullable ChosenCluster> other)
    implements Destination {
  /** A body in the query. */
  private static final String SOURCE = "source";

  /** Hears of requests that are over. Called on event loops. */
  interface Watch {
    /**
     * A request is over.
     *
     * @param status of its answer; 499 when its client went away first
     */
    void over(int status);

    /** Another cluster is going to answer a request. */
    void leaves();
  }

  boolean usable() {
    return cluster.missing() == null;
  }

  /** Why a path and query can't be said in the cluster's names of indices; null when they can. */
  @Nullable String unsayable(String uri) {
    if (cluster.rename().isEmpty()) {
      return null;
    }
    if (cluster.rename().uri(uri) instanceof IndexRename.Renamed.Impossible(String why)) {
      return why;
    }
    BodyRename.Form form = BodyRename.formOf(uri);
    return form != null && form != BodyRename.Form.BULK && QueryParameters.has(uri, SOURCE)
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
  public String uri(String uri) {
    return !cluster.rename().isEmpty()
            && cluster.rename().uri(uri) instanceof IndexRename.Renamed.As(String known)
        ? known
        : uri;
  }

  @Override
  public boolean changes() {
    return !cluster.rename().isEmpty();
  }

  @Override
  public @Nullable BodyChange change(String uri, @Nullable String contentType) {
    return RenamedBody.of(cluster.rename(), uri, contentType);
  }

  @Override
  public @Nullable Destination standby(String method, String uri) {
    ChosenCluster instead = instead(method, uri);
    if (instead != null) {
      watch.leaves();
    }
    return instead;
  }

  @Override
  public boolean replaceable(String method, String uri) {
    ChosenCluster instead = instead(method, uri);
    return instead != null && !instead.changes();
  }

  private @Nullable ChosenCluster instead(String method, String uri) {
    ChosenCluster instead = Actions.reads(method, uri) ? other.get() : null;
    return instead == null || instead.unsayable(uri) != null ? null : instead;
  }

  @Override
  public @Nullable Supplier<String> serverVersion() {
    return cluster.serverVersion();
  }

  @Override
  public void over(int status) {
    watch.over(status);
  }
}
