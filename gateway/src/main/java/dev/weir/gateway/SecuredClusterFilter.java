package dev.weir.gateway;

import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import dev.weir.rest.PassThroughReasons;
import java.util.function.BooleanSupplier;

/**
 * Has every request pass through while the cluster's nodes authenticate requests. The gateway's own
 * calls use its certificate, which has all permissions; a request that passes through carries the
 * client's credentials. Safe on any thread.
 *
 * @param isSecured whether nodes authenticate requests
 */
record SecuredClusterFilter(BooleanSupplier isSecured) implements RouteFilter {
  private static final Decision AUTHENTICATED_BY_NODE =
      new PassThrough(PassThroughReasons.SECURITY);

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough || !isSecured.getAsBoolean()
        ? decision
        : AUTHENTICATED_BY_NODE;
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
