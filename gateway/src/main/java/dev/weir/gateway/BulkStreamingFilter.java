package dev.weir.gateway;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.rest.BulkStreamingOptions;

/**
 * Lets large bulks be carried out while they come, as a policy says. Safe on any thread.
 *
 * @param router decides otherwise
 * @param streaming what it says
 */
record BulkStreamingFilter(RequestRouter router, BulkPolicy.Streaming streaming)
    implements RequestRouter {
  @Override
  public Decision route(String method, String uri) {
    Decision way = router.route(method, uri);
    if (!(way instanceof Coordinate(String action, _))
        || !action.equals(BulkStreamingOptions.ACTION)) {
      return way;
    }
    long over = streaming.threshold().bytes();
    return over == 0 || !BulkStreamingOptions.isSupported(uri)
        ? way
        : new Coordinate(
            action,
            new BulkStreamingOptions(
                over,
                (int) streaming.sectionBytes().bytes(),
                streaming.maxBufferedBytes().bytes()));
  }

  @Override
  public PassThrough routeLargeBody(String method, String uri) {
    return router.routeLargeBody(method, uri);
  }

  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    return router.routeAfterBody(method, uri, reason);
  }
}
