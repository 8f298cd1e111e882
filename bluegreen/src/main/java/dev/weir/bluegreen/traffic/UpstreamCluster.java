package dev.weir.bluegreen.traffic;

import dev.weir.http.intake.Destination;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRenamer;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A cluster that can receive requests. Safe on any thread. */
public interface UpstreamCluster extends Destination {
  /** The configured name. */
  String name();

  @Override
  default String clusterName() {
    return name();
  }

  /** Why it is unavailable now; null while it is available. */
  @Nullable String unavailableReason();

  /** The renaming of clients' index names to its own. */
  IndexRenamer indexRename();

  /**
   * Routes requests of a policy by their headers.
   *
   * @param policy the policy of the requests
   */
  default RequestRouter router(RequestPolicy policy) {
    return router();
  }

  /**
   * Handles requests that {@link #router(RequestPolicy)} coordinates.
   *
   * @param policy the policy of the requests
   */
  default RequestHandler handler(RequestPolicy policy) {
    return handler();
  }

  /** Handles internal requests of the gateway, which bypass admission. */
  default RequestHandler internalHandler() {
    return handler();
  }

  /**
   * Replaces a preference that nodes of this cluster don't take.
   *
   * @param uri path and query, with this cluster's names of indices
   */
  default String rewritePreference(String uri) {
    return uri;
  }

  /**
   * Asks all nodes whether they answer.
   *
   * @param timeout how long a node has time
   * @param onOutcome gets whether any node has answered in time; once, on any thread
   */
  default void ping(Duration timeout, Consumer<Boolean> onOutcome) {
    onOutcome.accept(true);
  }

  /** Whether the cluster has a node with this id now. */
  boolean hasNode(String nodeId);
}
