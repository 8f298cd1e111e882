package dev.weir.bluegreen.dual;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.UncertainOutcomeHandler;
import dev.weir.model.RouteFilter;
import dev.weir.rest.MetadataChangeDetector;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records in the repair log, before the response to the client, every pass-through request that may
 * have changed the first cluster: the gateway does not know what changed and cannot repeat it. It
 * also records requests that a node has not clearly rejected. Safe on any thread.
 *
 * @param target where writes are repeated; null if they are not
 */
public record PassThroughWriteFilter(
    Supplier<@Nullable DualWriteTarget> target, DualWriteCounts counts, DualWriteClocks clocks)
    implements RouteFilter {
  /** Requests that write many documents by a query and can fail half-way. */
  private static final Pattern BY_QUERY_PATHS = Pattern.compile("_by_query|_reindex");

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough through
        ? recordAfterwards(through, method, uri)
        : decision;
  }

  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return recordAfterwards(decision, method, uri);
  }

  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return recordAfterwards(decision, method, uri);
  }

  /**
   * Returns whether a request may change documents or the cluster's metadata.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  static boolean mayWrite(String method, String uri) {
    if (method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS")) {
      return false;
    }
    return ActionClassifier.mayChangeDocuments(method, uri)
        || MetadataChangeDetector.canChangeMetadata(method, uri);
  }

  private PassThrough recordAfterwards(PassThrough decision, String method, String uri) {
    DualWriteTarget to = mayWrite(method, uri) ? target.get() : null;
    if (to == null) {
      return decision;
    }
    return decision
        .thenOnSuccess(() -> record(to, method, uri, "a node executed it: " + decision.reason()))
        .thenOnUncertainOutcome(status ->
            hasChangedNothing(method, uri, status)
                ? CompletableFuture.completedFuture(null)
                : record(
                    to, method, uri, "a node may have executed it: " + describeStatus(status)));
  }

  private static String describeStatus(int status) {
    return status == UncertainOutcomeHandler.NO_RESPONSE
        ? "there is no whole answer"
        : "it answered " + status;
  }

  /**
   * Returns whether a response shows that nothing changed. For requests that write by a query, the
   * status may be that of one document.
   */
  private static boolean hasChangedNothing(String method, String uri, int status) {
    return switch (status) {
      case 401, 403, 405, 406, 413, 415 -> true;
      case 400, 404, 409, 429 ->
          switch (ActionClassifier.classify(method, uri)) {
            case BULK, WRITE -> !BY_QUERY_PATHS.matcher(uri).find();
            case SEARCH, GET, OTHER -> !BY_QUERY_PATHS.matcher(uri).find() && status != 429;
          };
      default -> false;
    };
  }

  private CompletionStage<?> record(DualWriteTarget to, String method, String uri, String reason) {
    CompletableFuture<@Nullable Void> noted = new CompletableFuture<>();
    RepairEntry entry =
        RepairEntry.RequestEntry.of(
            clocks.now(),
            to.sourceCluster(),
            to.targetCluster(),
            method,
            uri,
            Cause.ofGateway("not-replicated", reason));
    counts.count(to.targetCluster(), DualWriteOutcome.NOT_REPLICATED);
    new RepairLogAppender(counts, clocks)
        .append(to, List.of(entry), Runnable::run, isLogged -> noted.complete(null));
    return noted;
  }
}
