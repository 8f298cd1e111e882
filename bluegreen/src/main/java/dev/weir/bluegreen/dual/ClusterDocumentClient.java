package dev.weir.bluegreen.dual;

import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ForwardedBulkAction;
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
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.index.IndexNotFoundException;

/**
 * Reads and writes single documents of a cluster and blocks for the response. Safe on any thread
 * except the cluster's event loop.
 */
public final class ClusterDocumentClient {
  private final ActionExecutor executor;
  private final Executor eventLoop;
  private final Duration timeout;
  private final AtomicLong taskIds = new AtomicLong();

  /**
   * Creates a client from a cluster's actions.
   *
   * @param eventLoop the event loop of the actions
   * @param timeout of a response
   */
  public ClusterDocumentClient(ActionExecutor executor, Executor eventLoop, Duration timeout) {
    this.executor = executor;
    this.eventLoop = eventLoop;
    this.timeout = timeout;
  }

  /**
   * A document as stored now.
   *
   * @param seqNo the number of its last write in its shard
   * @param primaryTerm the term of that write
   * @param source null if the index does not store it
   * @param routing the stored routing; null for none
   */
  public record StoredDocument(
      long version,
      long seqNo,
      long primaryTerm,
      @Nullable BytesReference source,
      @Nullable String routing) {}

  /** The result of a write. */
  enum WriteResult {
    DONE,
    CONFLICT,
    CREATE_ONLY,
    REPLACE_ONLY
  }

  /** An operation failed. The message is for operators. */
  public static final class DocumentAccessException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether the index is missing. */
    public boolean isIndexMissing() {
      Throwable cause = getCause();
      return cause != null && ExceptionsHelper.unwrapCause(cause) instanceof IndexNotFoundException;
    }

    DocumentAccessException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** Reads a document, also before a refresh; returns null if the index has none with this id. */
  @Nullable StoredDocument get(String index, String id, @Nullable String routing)
      throws DocumentAccessException {
    GetRequest request = new GetRequest(index, id).routing(routing);
    return call(GetAction.INSTANCE, request, ClusterDocumentClient::toStoredDocument);
  }

  /**
   * Reads a document of the log in the target cluster. Documents cannot be read by the name of an
   * alias or a data stream with several indices; then its index in the source cluster is tried.
   */
  public @Nullable StoredDocument findTarget(RepairEntry.Document document)
      throws DocumentAccessException {
    try {
      return get(document.index(), document.id(), document.routing());
    } catch (DocumentAccessException severalIndices) {
      if (severalIndices.isIndexMissing()) {
        return null;
      }
      if (document.index().equals(document.concreteIndex())) {
        throw severalIndices;
      }
      try {
        return get(document.concreteIndex(), document.id(), document.routing());
      } catch (DocumentAccessException alsoThere) {
        throw alsoThere.isIndexMissing() ? severalIndices : alsoThere;
      }
    }
  }

  private static @Nullable StoredDocument toStoredDocument(GetResponse response) {
    if (!response.isExists()) {
      return null;
    }
    return new StoredDocument(
        response.getVersion(),
        response.getSeqNo(),
        response.getPrimaryTerm(),
        response.isSourceEmpty()
            ? null
            : new BytesArray(BytesReference.toBytes(response.getSourceAsBytesRef())),
        DocumentReader.routingOf(response));
  }

  /** Writes or deletes a document. */
  WriteResult write(PendingWrite write) throws DocumentAccessException {
    try {
      return write(write, BulkAction.INSTANCE);
    } catch (DocumentAccessException failure) {
      if (failure.getCause() instanceof PassThroughException) {
        return write(write, ForwardedBulkAction.INSTANCE);
      }
      throw failure;
    }
  }

  private WriteResult write(PendingWrite write, ActionType<BulkResponse> action)
      throws DocumentAccessException {
    BulkRequest bulk = new BulkRequest();
    bulk.add(write.toRequest());
    BulkItemResponse item = call(action, bulk, response -> response.getItems()[0]);
    BulkItemResponse.Failure failure = item == null ? null : item.getFailure();
    if (failure == null) {
      return WriteResult.DONE;
    }
    if (failure.getStatus() == RestStatus.CONFLICT) {
      return WriteResult.CONFLICT;
    }
    if (write.requiresCreate(failure)) {
      return WriteResult.CREATE_ONLY;
    }
    if (write.requiresReplace(failure)) {
      return WriteResult.REPLACE_ONLY;
    }
    Exception cause = failure.getCause();
    throw new DocumentAccessException(String.valueOf(cause.getMessage()), cause);
  }

  /** Takes from a response what is needed of it; runs on the event loop. */
  public interface ResponseReader<R, T> {
    /** Returns what is needed of the response. */
    @Nullable T read(R response);
  }

  /** Returns the format of a document, detected by its first bytes; null if none is. */
  public static @Nullable MediaType detectMediaType(BytesReference source) {
    return DocumentReader.detectMediaType(source);
  }

  /**
   * Executes an action and waits for its response.
   *
   * @throws DocumentAccessException if it fails, or takes too long
   */
  public <R extends ActionResponse, T> @Nullable T call(
      ActionType<R> action, ActionRequest request, ResponseReader<R, T> taking)
      throws DocumentAccessException {
    RequestContext context = new RequestContext(eventLoop, taskIds.incrementAndGet(), Map.of());
    CompletableFuture<@Nullable T> answer = new CompletableFuture<>();
    ActionListener<R> listener =
        ActionListener.wrap(
            response -> answer.complete(taking.read(response)), answer::completeExceptionally);
    eventLoop.execute(() -> {
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
      throw new DocumentAccessException(describe(cause), cause);
    } catch (TimeoutException e) {
      eventLoop.execute(() -> context.cancel("no answer in time"));
      throw new DocumentAccessException("no answer within " + timeout.toMillis() + "ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DocumentAccessException("interrupted", e);
    } finally {
      eventLoop.execute(context::end);
    }
  }

  private static String describe(Throwable failure) {
    return failure instanceof PassThroughException passThrough
        ? "only a node can execute this request, because of [" + passThrough.reason() + "]"
        : String.valueOf(failure.getMessage());
  }
}
