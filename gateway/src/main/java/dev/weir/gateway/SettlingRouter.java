package dev.weir.gateway;

import dev.weir.cluster.ClusterViews;
import dev.weir.rest.MetadataChanges;
import dev.weir.model.RequestRouter;

/**
 * Lets the gateway see what a request that passes through changed before its client hears that it
 * is done, so that the client's next request finds it: the answer waits until the cluster was
 * looked at again. All who wait at the same time share a look. Safe on any thread.
 *
 * @param router decides otherwise
 * @param views what coordinated requests go by
 */
record SettlingRouter(RequestRouter router, ClusterViews views) implements RequestRouter {
  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough(String reason, var settling, var _, var _)
            && settling == null
            && MetadataChanges.mayCome(method, uri)
        ? new PassThrough(reason, () -> views.refresh(views.current()))
        : way;
  }

  /** Writing documents may create their index. */
  @Override
  public PassThrough large(String method, String uri) {
    return created(router.large(method, uri), method, uri);
  }

  /** The same, of those that a node's pipelines have to do with. */
  @Override
  public PassThrough late(String method, String uri, String reason) {
    return created(router.late(method, uri, reason), method, uri);
  }

  private PassThrough created(PassThrough way, String method, String uri) {
    return MetadataChanges.mayCreateIndex(method, uri)
        ? new PassThrough(way.reason(), () -> views.refresh(views.current()))
        : way;
  }
}
