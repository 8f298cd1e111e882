package dev.weir.bluegreen.traffic;

import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.Destination;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.Map;

/**
 * Rejects requests with index names that have no counterpart on the cluster, and requests that no
 * single cluster can execute.
 *
 * @param cluster the cluster that would have received the requests
 * @param reason for the client
 */
record RejectingDestination(ClusterDestination cluster, String reason) implements Destination {

  @Override
  public RequestRouter router() {
    return (method, uri) -> new RequestRouter.RespondLocally("other");
  }

  @Override
  public RequestHandler handler() {
    ErrorBody body = new ErrorBody(HttpStatus.BAD_REQUEST, "illegal_argument_exception", reason);
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
