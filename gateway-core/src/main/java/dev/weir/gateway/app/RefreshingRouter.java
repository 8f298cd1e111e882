package dev.weir.gateway.app;

import dev.weir.gateway.app.coalesce.Coalescing;
import dev.weir.model.RequestRouter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Tells who coalesces searches of every request that passes through and may have made documents
 * visible, before its client hears that it is done. Safe on any thread.
 *
 * @param router decides otherwise
 */
record RefreshingRouter(RequestRouter router, Coalescing coalescing) implements RequestRouter {
  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough through && mayRefresh(method, uri) ? told(through) : way;
  }

  @Override
  public PassThrough large(String method, String uri) {
    return told(router.large(method, uri));
  }

  /** {@code GET /index/_refresh} is allowed too. */
  private static boolean mayRefresh(String method, String uri) {
    return !(method.equals("GET") || method.equals("HEAD")) || uri.contains("_refresh");
  }

  private PassThrough told(PassThrough way) {
    if (!coalescing.on()) {
      return way;
    }
    Supplier<CompletionStage<?>> settling = way.settling();
    return new PassThrough(
        way.reason(),
        () -> {
          CompletionStage<?> settled =
              settling == null ? CompletableFuture.completedFuture(null) : settling.get();
          return settled.whenComplete((done, failure) -> coalescing.refreshed());
        });
  }
}
