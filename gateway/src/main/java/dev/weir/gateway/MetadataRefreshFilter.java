package dev.weir.gateway;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.model.RequestRouter;
import dev.weir.rest.MetadataChangeDetector;

/**
 * Lets the gateway see what a request that passes through changed before its client hears that it
 * is done, so that the client's next request finds it: the answer waits until the cluster was
 * looked at again. All who wait at the same time share a look. Safe on any thread.
 *
 * @param router decides otherwise
 * @param views what coordinated requests go by
 */
record MetadataRefreshFilter(RequestRouter router, ClusterViewSource views)
    implements RequestRouter {
  @Override
  public Decision route(String method, String uri) {
    Decision way = router.route(method, uri);
    return way instanceof PassThrough(String reason, var settling, var _, var _)
            && settling == null
            && MetadataChangeDetector.canChangeMetadata(method, uri)
        ? new PassThrough(reason, () -> views.refresh(views.current()))
        : way;
  }

  /** Writing documents may create their index. */
  @Override
  public PassThrough routeLargeBody(String method, String uri) {
    return refreshAfterCreate(router.routeLargeBody(method, uri), method, uri);
  }

  /** The same, of those that a node's pipelines have to do with. */
  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    return refreshAfterCreate(router.routeAfterBody(method, uri, reason), method, uri);
  }

  private PassThrough refreshAfterCreate(PassThrough way, String method, String uri) {
    return MetadataChangeDetector.canCreateIndex(method, uri)
        ? new PassThrough(way.reason(), () -> views.refresh(views.current()))
        : way;
  }
}
