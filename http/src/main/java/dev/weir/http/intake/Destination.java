package dev.weir.http.intake;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpExchange;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cluster that requests can be sent to. Called on event loops. */
public interface Destination {
  /** Returns the router that decides by a request's headers how this cluster serves it. */
  RequestRouter router();

  /** Returns the handler of coordinated requests. */
  RequestHandler handler();

  /** Returns the proxy of passed-through requests. */
  NodeProxy proxy();

  /** Returns the cluster's name in the configuration; empty for none. */
  default String clusterName() {
    return "";
  }

  /** Returns the policy of the requests sent here. */
  default RequestPolicy policy() {
    return RequestPolicy.NONE;
  }

  /**
   * Rewrites a path and query for this cluster.
   *
   * @param uri as the client sent it
   */
  default String translateUri(String uri) {
    return uri;
  }

  /** Returns whether this cluster needs any bodies transformed. */
  default boolean transformsBodies() {
    return false;
  }

  /**
   * Returns how to transform a body for this cluster. Called once for each place that a body is
   * sent to, and only if {@link #transformsBodies}.
   *
   * @param uri path and query as the client sent them
   * @param contentType as the client sent it
   * @return null for a body that goes unchanged
   */
  default @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
    return null;
  }

  /**
   * Called when a request that was sent here has ended.
   *
   * @param status of the response; 499 when the client disconnected first, 0 when there was no
   *     response
   * @param nodesLost whether nodes were lost or did not answer in time, so that the response is an
   *     error of the cluster. An error that a request can cause by itself is not one
   */
  default void onRequestEnd(int status, boolean nodesLost) {}

  /**
   * Returns the cluster that serves a request which lost nodes left unanswered or incomplete here.
   *
   * @param uri path and query as the client sent them
   * @return null when there is none, or the request must stay here
   */
  default @Nullable Destination failoverDestination(String method, String uri) {
    return null;
  }

  /**
   * Returns whether {@link #failoverDestination} would now return a cluster that takes bodies
   * unchanged. Has no side effects.
   *
   * @param uri path and query as the client sent them
   */
  default boolean hasFailoverDestination(String method, String uri) {
    return false;
  }

  /** Returns the requests under way on this cluster; null if none is ever released. */
  default @Nullable ReleasableRequests releasableRequests() {
    return null;
  }

  /**
   * Returns the version that this cluster's nodes report in responses; null when all destinations
   * report the same.
   */
  default @Nullable Supplier<String> serverVersion() {
    return null;
  }

  /**
   * Chooses another destination now that the whole body has arrived.
   *
   * @return null to stay here, which is the common case
   */
  default @Nullable Destination resolveByBody(HttpExchange whole) {
    return null;
  }
}
