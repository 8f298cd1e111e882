package dev.weir.gateway;

import dev.weir.model.RequestRouter;
import dev.weir.rest.PassThroughReasons;
import java.util.function.BooleanSupplier;

/**
 * Lets nodes check who sends a request where somebody must. What the gateway sends over transport
 * goes by its own certificate, with which nodes let it do everything, whoever asked for it. So as
 * long as the gateway checks nobody itself, such requests pass through. Safe on any thread.
 *
 * @param router decides otherwise
 * @param isSecured whether nodes check who sends a request
 */
record SecuredClusterFilter(RequestRouter router, BooleanSupplier isSecured)
    implements RequestRouter {
  private static final Decision AUTHENTICATED_BY_NODE =
      new PassThrough(PassThroughReasons.SECURITY);

  @Override
  public Decision route(String method, String uri) {
    Decision way = router.route(method, uri);
    return way instanceof PassThrough || !isSecured.getAsBoolean() ? way : AUTHENTICATED_BY_NODE;
  }
}
