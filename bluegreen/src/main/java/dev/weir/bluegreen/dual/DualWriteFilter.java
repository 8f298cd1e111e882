package dev.weir.bluegreen.dual;

import dev.weir.model.MemoryRejection;
import dev.weir.model.PassThroughException;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestResources;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ActionNames;
import dev.weir.rest.ExecutionFilter;
import dev.weir.rest.ForwardedBulkAction;
import dev.weir.rest.PassThroughReasons;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Executes actions on one cluster and repeats its acknowledged writes on another. The client gets
 * the first cluster's response once every acknowledged write is in the other cluster too, or on
 * disk in the repair log. Safe on any thread.
 *
 * <pre>
 *   write --> first cluster --acknowledged--> other cluster --all written--> response to the client
 *                  |                             |                                ^
 *                  |                             +--not all in time--> repair log --+
 *                  +--failed, certainly without a change---------------------------+
 * </pre>
 */
public final class DualWriteFilter implements ExecutionFilter {
  private final DualWriteTargetSelector targets;
  private final DualWriteServices services;

  /**
   * Creates the filter of a cluster's actions.
   *
   * @param documents reads the documents that the writes left on the first cluster
   * @param sourceRequests the requests under way on the first cluster
   */
  public DualWriteFilter(
      ActionExecutor documents,
      DualWriteTargetSelector targets,
      DualWriteCounts counts,
      DualWriteClocks clocks,
      ReleasableRequests sourceRequests) {
    this.targets = targets;
    this.services = new DualWriteServices(documents, counts, clocks, sourceRequests);
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next) {
    RequestedWrites requested = null;
    DualWriteTarget target = null;
    if (ActionNames.isWrite(action.name())) {
      target = targets.targetFor(context);
      requested = target == null ? null : RequestedWrites.of(request);
    }
    if (target == null || requested == null) {
      next.execute(action, request, context, listener);
      return;
    }
    if (context.resources().identity() != null) {
      // another cluster may not know the user, nor give it the same rights
      throw new PassThroughException(PassThroughReasons.SECURITY_ACTION);
    }
    long bytes = requested.heldBytes();
    MemoryRejection refused =
        context.resources().memory().reserve(RequestMemory.Category.PARSED_BODY, bytes);
    if (refused != null) {
      listener.onFailure(RequestFrameBudget.exception(refused));
      return;
    }
    DualWriteSession session = new DualWriteSession(services, target, context, requested.refresh());
    Write<R> write = new Write<>(request, requested, session, listener, next);
    context.onCancel(() -> context.runLater(write::onCancelled));
    write.start(action);
  }

  /** One write. Confined to its request's event loop. */
  private static final class Write<R extends ActionResponse> implements ActionListener<R> {
    private final ActionRequest request;
    private final RequestedWrites requested;
    private final DualWriteSession session;
    private final ActionListener<R> listener;
    private final ActionExecutor next;
    private final IntentRecorder.@Nullable WriteIntent intent;
    private boolean byNode;
    private boolean completed;

    Write(
        ActionRequest request,
        RequestedWrites requested,
        DualWriteSession session,
        ActionListener<R> listener,
        ActionExecutor next) {
      this.request = request;
      this.requested = requested;
      this.session = session;
      this.listener = listener;
      this.next = next;
      IntentRecorder intents = session.target().logs().intents();
      this.intent =
          intents == null
              ? null
              : intents.start(
                  session.target().sourceCluster(),
                  session.target().targetCluster(),
                  isByNode -> requested.toSend(isByNode, session.target().indexNames()),
                  session.clientRequest());
    }

    void start(ActionType<R> action) {
      session.clientRequest().resources().setDocumentsReplicated();
      if (action.name().equals(ForwardedBulkAction.INSTANCE.name())) {
        setByNode();
      }
      if (intent != null) {
        session.clientRequest().resources().setWritePreparation(intent);
      }
      try {
        next.execute(action, request, session.clientRequest(), this);
      } catch (RuntimeException failure) {
        onFailure(failure);
      }
    }

    private void setByNode() {
      byNode = true;
      if (intent != null) {
        intent.setByNode();
      }
    }

    @Override
    public void onResponse(R response) {
      if (!completed) {
        completed = true;
        replicate(
            requested.onResponse(response, execution(), session.target().indexNames()),
            () -> listener.onResponse(response));
      }
    }

    @Override
    public void onFailure(Exception failure) {
      if (completed) {
        return;
      }
      if (failure instanceof PassThroughException reason) {
        if (byNode || !isExecutedByNode(reason)) {
          completed = true;
          releaseMemory();
          listener.onFailure(failure);
        }
        return;
      }
      completed = true;
      replicate(
          requested.onFailure(failure, execution(), session.target().indexNames()),
          () -> listener.onFailure(failure));
    }

    /**
     * A node would run the ingest pipeline without reporting its effect. As a bulk that a node
     * executes as a whole, its response shows what was written.
     */
    @SuppressWarnings("unchecked") // the request determines the type of its response
    private boolean isExecutedByNode(PassThroughException reason) {
      if (!reason.reason().equals(PassThroughReasons.INGEST_PIPELINE)) {
        return false;
      }
      BulkRequest bulk;
      ActionListener<BulkResponse> outcome;
      switch (request) {
        case BulkRequest whole -> {
          bulk = whole;
          outcome = (ActionListener<BulkResponse>) (ActionListener<?>) this;
        }
        case IndexRequest one -> {
          bulk = toBulk(one);
          outcome =
              ActionListener.wrap(
                  response ->
                      toSingleResponse(
                          response, (ActionListener<IndexResponse>) (ActionListener<?>) this),
                  this::onFailure);
        }
        default -> {
          return false;
        }
      }
      setByNode();
      try {
        next.execute(ForwardedBulkAction.INSTANCE, bulk, session.clientRequest(), outcome);
      } catch (RuntimeException failure) {
        outcome.onFailure(failure);
      }
      return true;
    }

    private static BulkRequest toBulk(IndexRequest one) {
      BulkRequest bulk = new BulkRequest().add(one);
      bulk.setRefreshPolicy(one.getRefreshPolicy());
      bulk.timeout(one.timeout());
      bulk.waitForActiveShards(one.waitForActiveShards());
      one.setRefreshPolicy(WriteRequest.RefreshPolicy.NONE); // items can't have their own
      return bulk;
    }

    private static void toSingleResponse(
        BulkResponse response, ActionListener<IndexResponse> listener) {
      BulkItemResponse item = response.getItems()[0];
      BulkItemResponse.Failure failure = item.getFailure();
      if (failure == null) {
        listener.onResponse(item.getResponse());
      } else {
        listener.onFailure(failure.getCause());
      }
    }

    /** Repeats or records the writes of a cancelled request, unless it has an outcome already. */
    void onCancelled() {
      if (!completed) {
        completed = true;
        Exception why =
            new IllegalStateException("stopped: " + session.clientRequest().cancelReason());
        replicate(requested.onFailure(why, execution(), session.target().indexNames()), () -> {});
      }
    }

    private RequestedWrites.Execution execution() {
      RequestResources resources = session.clientRequest().resources();
      return new RequestedWrites.Execution(
          byNode, resources::isPossiblyRepeated, resources::isPossiblyExecuted);
    }

    private void replicate(List<PendingWrite> writes, Runnable onReplicated) {
      session.start(
          writes,
          isLogged -> {
            if (intent != null && isLogged) {
              intent.clear();
            } else if (intent != null) {
              intent.abandon(); // it is all that is left of the write
            }
            releaseMemory();
            onReplicated.run();
          });
    }

    private void releaseMemory() {
      session
          .clientRequest()
          .resources()
          .memory()
          .release(RequestMemory.Category.PARSED_BODY, requested.heldBytes());
    }
  }
}
