package dev.weir.gateway;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.rest.BulkStreaming;
import dev.weir.model.RequestRouter;

/**
 * Lets large bulks be carried out while they come, as a policy says. Safe on any thread.
 *
 * @param router decides otherwise
 * @param streaming what it says
 */
record StreamingRouter(RequestRouter router, BulkPolicy.Streaming streaming)
    implements RequestRouter {
  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    if (!(way instanceof Coordinate(String action, _)) || !action.equals(BulkStreaming.ACTION)) {
      return way;
    }
    long over = streaming.over().bytes();
    return over == 0 || !BulkStreaming.suits(uri)
        ? way
        : new Coordinate(
            action,
            new BulkStreaming(over, (int) streaming.section().bytes(), streaming.window().bytes()));
  }

  @Override
  public PassThrough large(String method, String uri) {
    return router.large(method, uri);
  }

  @Override
  public PassThrough late(String method, String uri, String reason) {
    return router.late(method, uri, reason);
  }
}
