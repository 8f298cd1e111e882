package dev.weir.gateway;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import dev.weir.rest.MetadataChangeDetector;

/**
 * After a request that passed through has changed metadata, refreshes the view of the cluster
 * before the client gets the response, so that the client's next request sees the change. Requests
 * that wait at the same time share one refresh. Safe on any thread.
 *
 * @param views gives the view that coordinated requests use
 */
record MetadataRefreshFilter(ClusterViewSource views) implements RouteFilter {
  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough through
            && MetadataChangeDetector.canChangeMetadata(method, uri)
        ? refreshAfter(through)
        : decision;
  }

  /** Writing documents may create their index. */
  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return refreshAfterCreate(method, uri, decision);
  }

  /** A write with an ingest pipeline may create its index too. */
  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return refreshAfterCreate(method, uri, decision);
  }

  private PassThrough refreshAfterCreate(String method, String uri, PassThrough decision) {
    return MetadataChangeDetector.canCreateIndex(method, uri) ? refreshAfter(decision) : decision;
  }

  private PassThrough refreshAfter(PassThrough decision) {
    return decision.thenOnSuccess(() -> views.refresh(views.current()));
  }
}
