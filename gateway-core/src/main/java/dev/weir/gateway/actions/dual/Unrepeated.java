package dev.weir.gateway.actions.dual;

import dev.weir.admission.head.Actions;
import dev.weir.gateway.actions.dual.RepairEntry.Why;
import dev.weir.gateway.parse.MetadataChanges;
import dev.weir.model.RequestRouter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes every request that passes through to a node of the first cluster and may have changed
 * something there, before its client hears that it is done: what it changed is not known, and is
 * not repeated. Safe on any thread.
 *
 * @param router decides otherwise
 * @param target where writes are repeated; null for nowhere
 */
public record Unrepeated(
    RequestRouter router, Supplier<@Nullable DualTarget> target, DualCounts counts, DualMeans means)
    implements RequestRouter {

  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough through ? noted(through, method, uri) : way;
  }

  @Override
  public PassThrough large(String method, String uri) {
    return noted(router.large(method, uri), method, uri);
  }

  @Override
  public PassThrough late(String method, String uri, String reason) {
    return noted(router.late(method, uri, reason), method, uri);
  }

  /**
   * Whether a request may change documents, or the cluster's metadata.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  static boolean mayWrite(String method, String uri) {
    if (method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS")) {
      return false;
    }
    return switch (Actions.of(method, uri)) {
      case BULK, WRITE -> true;
      case SEARCH, GET -> false;
      case OTHER -> MetadataChanges.mayCome(method, uri);
    };
  }

  private PassThrough noted(PassThrough way, String method, String uri) {
    DualTarget to = mayWrite(method, uri) ? target.get() : null;
    if (to == null) {
      return way;
    }
    Supplier<CompletionStage<?>> settling = way.settling();
    return new PassThrough(
        way.reason(),
        () -> {
          CompletionStage<?> settled =
              settling == null ? CompletableFuture.completedFuture(null) : settling.get();
          return settled
              .handle((done, failure) -> failure)
              .thenCompose(failure -> note(to, method, uri, way.reason()));
        });
  }

  private CompletionStage<?> note(DualTarget to, String method, String uri, String reason) {
    CompletableFuture<@Nullable Void> noted = new CompletableFuture<>();
    RepairEntry entry =
        RepairEntry.OfRequest.of(
            means.now(),
            to.from(),
            to.to(),
            method,
            uri,
            Why.own("not-repeated", "a node carried it out: " + reason));
    counts.count(to.to(), Outcome.NOT_REPEATED);
    to.log()
        .append(
            List.of(entry),
            failure -> {
              if (failure == null) {
                counts.logged(to.to(), 1);
              } else {
                counts.unlogged(to.to(), 1);
              }
              noted.complete(null);
            });
    return noted;
  }
}
