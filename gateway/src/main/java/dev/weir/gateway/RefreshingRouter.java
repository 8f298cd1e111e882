package dev.weir.gateway;

import dev.weir.admission.head.Actions;
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
 * @param coalesces whether anybody coalesces searches now
 * @param refreshed tells it
 */
record RefreshingRouter(RequestRouter router, BooleanSupplier coalesces, Runnable refreshed)
    implements RequestRouter {
  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough through && mayRefresh(method, uri) ? told(through) : way;
  }

  @Override
  public PassThrough large(String method, String uri) {
    return told(router.large(method, uri));
  }

  /** Writes whose index has a pipeline, above all. */
  @Override
  public PassThrough late(String method, String uri, String reason) {
    PassThrough way = router.late(method, uri, reason);
    return switch (Actions.of(method, uri)) {
      case SEARCH, GET -> way;
      case BULK, WRITE, OTHER -> told(way);
    };
  }

  /** {@code GET /index/_refresh} is allowed too. */
  private static boolean mayRefresh(String method, String uri) {
    return !(method.equals("GET") || method.equals("HEAD")) || uri.contains("_refresh");
  }

  private PassThrough told(PassThrough way) {
    if (!coalesces.getAsBoolean()) {
      return way;
    }
    Supplier<CompletionStage<?>> settling = way.settling();
    return new PassThrough(
        way.reason(),
        () -> {
          CompletionStage<?> settled =
              settling == null ? CompletableFuture.completedFuture(null) : settling.get();
          return settled.whenComplete((done, failure) -> refreshed.run());
        },
        way.doubt());
  }
}
