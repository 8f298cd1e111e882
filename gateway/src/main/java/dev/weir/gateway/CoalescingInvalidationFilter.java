package dev.weir.gateway;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.model.RequestRouter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Tells who coalesces searches of every request that passes through and may have made documents
 * visible, before its client hears that it is done. Safe on any thread.
 *
 * @param router decides otherwise
 * @param coalescingEnabled whether anybody coalesces searches now
 * @param onRefresh tells it
 */
record CoalescingInvalidationFilter(
    RequestRouter router, BooleanSupplier coalescingEnabled, Runnable onRefresh)
    implements RequestRouter {
  @Override
  public Decision route(String method, String uri) {
    Decision way = router.route(method, uri);
    return way instanceof PassThrough through && mayRefresh(method, uri)
        ? observeRefresh(through)
        : way;
  }

  @Override
  public PassThrough routeLargeBody(String method, String uri) {
    return observeRefresh(router.routeLargeBody(method, uri));
  }

  /** Writes whose index has a pipeline, above all. */
  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    PassThrough way = router.routeAfterBody(method, uri, reason);
    return switch (ActionClassifier.classify(method, uri)) {
      case SEARCH, GET -> way;
      case BULK, WRITE, OTHER -> observeRefresh(way);
    };
  }

  /** {@code GET /index/_refresh} is allowed too. */
  private static boolean mayRefresh(String method, String uri) {
    return !(method.equals("GET") || method.equals("HEAD")) || uri.contains("_refresh");
  }

  private PassThrough observeRefresh(PassThrough way) {
    if (!coalescingEnabled.getAsBoolean()) {
      return way;
    }
    Supplier<CompletionStage<?>> settling = way.onSuccess();
    return new PassThrough(
        way.reason(),
        () -> {
          CompletionStage<?> settled =
              settling == null ? CompletableFuture.completedFuture(null) : settling.get();
          return settled.whenComplete((done, failure) -> onRefresh.run());
        },
        way.onUncertainOutcome());
  }
}
