package dev.weir.gateway.coalesce;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Keeps later searches from joining earlier ones after a request that passed through may have made
 * documents visible. Takes effect before the client gets the response. Safe on any thread.
 *
 * @param coalescingEnabled whether any policy coalesces searches now
 * @param onRefresh runs when documents may have become visible
 */
public record CoalescingInvalidationFilter(BooleanSupplier coalescingEnabled, Runnable onRefresh)
    implements RouteFilter {
  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough through && mayRefresh(method, uri)
        ? observeRefresh(through)
        : decision;
  }

  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return observeRefresh(decision);
  }

  /** Mainly writes whose index has an ingest pipeline. */
  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    if (ActionClassifier.mayChangeDocuments(method, uri)) {
      return observeRefresh(decision);
    }
    return switch (ActionClassifier.classify(method, uri)) {
      case SEARCH, GET -> decision;
      case BULK, WRITE, OTHER -> observeRefresh(decision);
    };
  }

  /** A refresh may be a GET request. */
  private static boolean mayRefresh(String method, String uri) {
    return !(method.equals("GET") || method.equals("HEAD")) || uri.contains("_refresh");
  }

  private PassThrough observeRefresh(PassThrough decision) {
    if (!coalescingEnabled.getAsBoolean()) {
      return decision;
    }
    return decision.thenOnSuccess(() -> {
      onRefresh.run();
      return CompletableFuture.completedFuture(null);
    });
  }
}
