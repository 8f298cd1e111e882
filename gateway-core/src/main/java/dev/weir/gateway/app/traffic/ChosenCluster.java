package dev.weir.gateway.app.traffic;

import dev.weir.gateway.http.Destination;
import dev.weir.gateway.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRename;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as the requests of one policy reach it.
 *
 * @param cluster to which they go
 * @param policy the policy's name; empty for the one of the whole gateway
 * @param handler takes those that are coordinated
 * @param watch hears how they ended
 * @param other answers reads instead; null while there is none
 */
record ChosenCluster(
    Cluster cluster,
    String policy,
    RequestHandler handler,
    Watch watch,
    Supplier<@Nullable ChosenCluster> other)
    implements Destination {

  /** Hears of requests that are over. Called on event loops. */
  @FunctionalInterface
  interface Watch {
    /**
     * A request is over.
     *
     * @param status of its answer; 499 when its client went away first
     */
    void over(int status);
  }

  boolean usable() {
    return cluster.missing() == null;
  }

  @Override
  public RequestRouter router() {
    return cluster.router(policy);
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
    return cluster.rename().uri(uri) instanceof IndexRename.Renamed.As(String known) ? known : uri;
  }

  @Override
  public @Nullable Destination standby() {
    return other.get();
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
