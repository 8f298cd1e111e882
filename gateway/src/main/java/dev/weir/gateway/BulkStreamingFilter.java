package dev.weir.gateway;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import dev.weir.rest.bulk.BulkStreamingOptions;

/**
 * Has the gateway execute large bulks in sections while their bodies arrive. Safe on any thread.
 *
 * @param streaming the size from which bulks are streamed, and the size of a section
 */
record BulkStreamingFilter(BulkPolicy.Streaming streaming) implements RouteFilter {
  @Override
  public Decision filter(String method, String uri, Decision decision) {
    if (!(decision instanceof Coordinate(String action, _))
        || !action.equals(BulkStreamingOptions.ACTION)) {
      return decision;
    }
    long threshold = streaming.threshold().bytes();
    return threshold == 0 || !BulkStreamingOptions.isSupported(uri)
        ? decision
        : new Coordinate(
            action,
            new BulkStreamingOptions(
                threshold,
                (int) streaming.sectionBytes().bytes(),
                streaming.maxBufferedBytes().bytes()));
  }

  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return decision;
  }

  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return decision;
  }
}
