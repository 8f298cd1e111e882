package dev.weir.bluegreen.dual;

import dev.weir.admission.head.Actions;
import dev.weir.bluegreen.dual.RepairEntry.Why;
import dev.weir.rest.MetadataChanges;
import dev.weir.model.RequestRouter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes every request that passes through to a node of the first cluster and may have changed
 * something there, before its client hears of it: what it changed is not known, and is not
 * repeated. So are those that a node did not clearly refuse. Safe on any thread.
 *
 * @param router decides otherwise
 * @param target where writes are repeated; null for nowhere
 */
public record Unrepeated(
    RequestRouter router, Supplier<@Nullable DualTarget> target, DualCounts counts, DualMeans means)
    implements RequestRouter {
  private static final Logger LOG = LoggerFactory.getLogger(Unrepeated.class);

  /** Requests that write many documents by a query, whose failures may come in the midst. */
  private static final Pattern MANY = Pattern.compile("_by_query|_reindex");

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
      case SEARCH, GET, OTHER -> MetadataChanges.mayCome(method, uri);
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
              .thenCompose(
                  failure -> note(to, method, uri, "a node carried it out: " + way.reason()));
        },
        status ->
            wroteNothing(method, uri, status)
                ? CompletableFuture.completedFuture(null)
                : note(to, method, uri, "a node may have carried it out: " + said(status)));
  }

  private static String said(int status) {
    return status == Doubt.NO_ANSWER ? "there is no whole answer" : "it answered " + status;
  }

  /**
   * Whether an answer says that nothing was done. Of requests that write what a query finds, the
   * status may be that of one document.
   */
  private static boolean wroteNothing(String method, String uri, int status) {
    return switch (status) {
      case 401, 403, 405, 406, 413, 415 -> true;
      case 400, 404, 409, 429 ->
          switch (Actions.of(method, uri)) {
            case BULK, WRITE -> !MANY.matcher(uri).find();
            case SEARCH, GET, OTHER -> !MANY.matcher(uri).find() && status != 429;
          };
      default -> false;
    };
  }

  private CompletionStage<?> note(DualTarget to, String method, String uri, String reason) {
    CompletableFuture<@Nullable Void> noted = new CompletableFuture<>();
    RepairEntry entry =
        RepairEntry.OfRequest.of(
            means.now(), to.from(), to.to(), method, uri, Why.own("not-repeated", reason));
    counts.count(to.to(), Outcome.NOT_REPEATED);
    AtomicBoolean known = new AtomicBoolean();
    Runnable stopTimer =
        means
            .delays()
            .unlessCalledOff(
                Repetition.DISK,
                Runnable::run,
                () -> {
                  if (known.compareAndSet(false, true)) {
                    LOG.error("the repair log has not answered for {}", Repetition.DISK);
                    counts.unlogged(to.to(), 1);
                    noted.complete(null);
                  }
                });
    to.log()
        .append(
            List.of(entry),
            failure -> {
              if (known.compareAndSet(false, true)) {
                stopTimer.run();
                if (failure == null) {
                  counts.logged(to.to(), 1);
                } else {
                  counts.unlogged(to.to(), 1);
                }
                noted.complete(null);
              }
            });
    return noted;
  }
}
