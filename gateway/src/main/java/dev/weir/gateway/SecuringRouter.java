package dev.weir.gateway;

import dev.weir.rest.PassThroughReasons;
import dev.weir.model.RequestRouter;
import java.util.function.BooleanSupplier;

/**
 * Lets nodes check who sends a request where somebody must. What the gateway sends over transport
 * goes by its own certificate, with which nodes let it do everything, whoever asked for it. So as
 * long as the gateway checks nobody itself, such requests pass through. Safe on any thread.
 *
 * @param router decides otherwise
 * @param secured whether nodes check who sends a request
 */
record SecuringRouter(RequestRouter router, BooleanSupplier secured) implements RequestRouter {
  private static final Way TO_BE_CHECKED = new PassThrough(PassThroughReasons.SECURITY);

  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough || !secured.getAsBoolean() ? way : TO_BE_CHECKED;
  }
}
