package dev.weir.bluegreen.traffic;

import dev.weir.http.intake.Destination;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRenamer;
import org.jspecify.annotations.Nullable;

/** A cluster that requests may go to. Safe on any thread. */
public interface UpstreamCluster extends Destination {
  /** Its name in the configuration. */
  String name();

  @Override
  default String clusterName() {
    return name();
  }

  /** Why it can't be used now; null while it can. */
  @Nullable String unavailableReason();

  /** What its indices are called that clients call otherwise. */
  IndexRenamer indexRename();

  /**
   * Decides by a request's head which way it goes.
   *
   * @param policy that it goes by
   */
  default RequestRouter router(RequestPolicy policy) {
    return router();
  }

  /**
   * Handles requests that {@link #router(RequestPolicy)} coordinates.
   *
   * @param policy that they go by
   */
  default RequestHandler handler(RequestPolicy policy) {
    return handler();
  }

  /** Handles requests of the gateway itself: they aren't subject to admission. */
  default RequestHandler internalHandler() {
    return handler();
  }

  /** Whether a node of this id is a part of it now. */
  boolean hasNode(String nodeId);
}
