package dev.weir.bluegreen.dual;

import dev.weir.rest.ActionExecutor;
import dev.weir.rest.NodeBulkAction;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexNotFoundException;

/**
 * A cluster's documents, one at a time, for whoever can wait for them. Safe on any thread but the
 * cluster's home.
 */
public final class ClusterDocuments {
  private final ActionExecutor executor;
  private final Executor home;
  private final Duration timeout;
  private final AtomicLong numbers = new AtomicLong();

  /**
   * Makes it around a cluster's actions.
   *
   * @param home where they are carried out, one thing at a time
   * @param timeout how long an answer is waited for
   */
  public ClusterDocuments(ActionExecutor executor, Executor home, Duration timeout) {
    this.executor = executor;
    this.home = home;
    this.timeout = timeout;
  }

  /**
   * A document as it is now.
   *
   * @param source null where the cluster keeps none
   * @param routing its own; null for none
   */
  record Found(long version, @Nullable BytesReference source, @Nullable String routing) {}

  /** What a write comes to. */
  enum Written {
    DONE,
    CONFLICT,
    CREATES_ALONE
  }

  /** What can't be done now, for people. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether there is no such index. */
    boolean isNoIndex() {
      Throwable cause = getCause();
      return cause != null && ExceptionsHelper.unwrapCause(cause) instanceof IndexNotFoundException;
    }

    Failure(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** Reads a document, refreshed or not; null when its index has none by this id. */
  @Nullable Found get(String index, String id, @Nullable String routing) throws Failure {
    GetRequest request = new GetRequest(index, id).routing(routing);
    return call(GetAction.INSTANCE, request, ClusterDocuments::found);
  }

  private static @Nullable Found found(GetResponse response) {
    if (!response.isExists()) {
      return null;
    }
    return new Found(
        response.getVersion(),
        response.isSourceEmpty()
            ? null
            : new BytesArray(BytesReference.toBytes(response.getSourceAsBytesRef())),
        Reading.routing(response));
  }

  /** Writes a document, or deletes it. */
  Written write(PendingWrite write) throws Failure {
    try {
      return write(write, BulkAction.INSTANCE);
    } catch (Failure failure) {
      if (failure.getCause() instanceof PassThroughException) {
        return write(write, NodeBulkAction.INSTANCE);
      }
      throw failure;
    }
  }

  private Written write(PendingWrite write, ActionType<BulkResponse> action) throws Failure {
    BulkRequest bulk = new BulkRequest();
    bulk.add(write.request());
    BulkItemResponse item = call(action, bulk, response -> response.getItems()[0]);
    BulkItemResponse.Failure failure = item == null ? null : item.getFailure();
    if (failure == null) {
      return Written.DONE;
    }
    if (failure.getStatus() == RestStatus.CONFLICT) {
      return Written.CONFLICT;
    }
    if (write.wantsCreate(failure)) {
      return Written.CREATES_ALONE;
    }
    Exception cause = failure.getCause();
    throw new Failure(String.valueOf(cause.getMessage()), cause);
  }

  private interface Taking<R, T> {
    @Nullable T of(R response);
  }

  private <R extends ActionResponse, T> @Nullable T call(
      ActionType<R> action, ActionRequest request, Taking<R, T> taking) throws Failure {
    RequestContext context = new RequestContext(home, numbers.incrementAndGet(), Map.of());
    CompletableFuture<@Nullable T> answer = new CompletableFuture<>();
    ActionListener<R> listener =
        ActionListener.wrap(
            response -> answer.complete(taking.of(response)), answer::completeExceptionally);
    home.execute(() -> {
      try {
        executor.execute(action, request, context, listener);
      } catch (RuntimeException failure) {
        answer.completeExceptionally(failure);
      }
    });
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new Failure(String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException e) {
      home.execute(() -> context.cancel("no answer in time"));
      throw new Failure("no answer within " + timeout.toMillis() + "ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure("interrupted", e);
    } finally {
      home.execute(context::end);
    }
  }
}
