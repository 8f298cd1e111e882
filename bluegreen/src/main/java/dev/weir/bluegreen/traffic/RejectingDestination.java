package dev.weir.bluegreen.traffic;

import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.Map;

/**
 * Where requests end whose indices can't be said in the names that their cluster has for them, or
 * that no cluster alone can carry out.
 *
 * @param cluster that they would have gone to
 * @param reason for the client
 */
record RejectingDestination(ClusterDestination cluster, String reason) implements Destination {
  private static final int BAD_REQUEST = 400;

  @Override
  public RequestRouter router() {
    return (method, uri) -> new RequestRouter.RespondLocally("other");
  }

  @Override
  public RequestHandler handler() {
    ErrorBody body = new ErrorBody(BAD_REQUEST, "illegal_argument_exception", reason);
    return exchange -> exchange.respond(body.toReply(Map.of(), false));
  }

  @Override
  public NodeProxy proxy() {
    return cluster.proxy();
  }

  @Override
  public String clusterName() {
    return cluster.clusterName();
  }

  @Override
  public RequestPolicy policy() {
    return cluster.policy();
  }
}
