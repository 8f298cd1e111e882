package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.actions.deadline.DeadlineTimeouts;
import dev.weir.core.actions.retry.OutcomeUnknownException;
import dev.weir.core.actions.truncate.RequestTruncation;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.coordinate.write.WriteWork;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import dev.weir.rest.PassThroughReasons;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.admin.indices.create.CreateIndexAction;
import org.opensearch.action.admin.indices.create.CreateIndexRequest;
import org.opensearch.action.support.single.instance.SingleInstanceInternals;
import org.opensearch.action.update.TransportUpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/**
 * One update: creates a missing index, then has the primary's node read, change and write the
 * document. Confined to the request's event loop.
 */
final class UpdateWork implements WriteWork {
  private final DocumentActionServices tools;
  private final UpdateRequest request;
  private final RequestContext context;
  private final ActionListener<UpdateResponse> listener;
  private final RequestTruncation truncation;
  private boolean possiblyExecuted;
  private boolean created;
  private @Nullable UpdateResponse response;
  private @Nullable Exception failure;

  UpdateWork(
      DocumentActionServices tools,
      UpdateRequest request,
      RequestContext context,
      ActionListener<UpdateResponse> listener) {
    this.tools = tools;
    this.request = request;
    this.context = context;
    this.listener = listener;
    this.truncation = tools.keywordTruncation().startRequest(context.resources().policy());
  }

  UpdateRequest request() {
    return request;
  }

  RequestContext context() {
    return context;
  }

  @Override
  public Duration waitTimeout() {
    return Duration.ofNanos(request.timeout().nanos());
  }

  /** How long a node may take for an operation that is sent now. */
  TimeValue remainingTime() {
    return DeadlineTimeouts.capTimeout(
        request.timeout(), context.deadline(), tools.coordination().nanoClock());
  }

  @Override
  public WriteStep plan(ClusterView view, ViewFreshness certainty) {
    if (response != null) {
      return new WriteStep.Send(List.of());
    }
    if (failure != null) {
      return new WriteStep.Fail(failure);
    }
    try {
      return planUpdate(view, certainty);
    } catch (IndexNotFoundException | IndexClosedException absent) {
      return certainty == ViewFreshness.CACHED
          ? new WriteStep.ConfirmView()
          : new WriteStep.Fail(absent);
    }
  }

  private WriteStep planUpdate(ClusterView view, ViewFreshness certainty) {
    ClusterState state = view.state();
    if (request.isRequireAlias() && !state.metadata().hasAlias(request.index())) {
      throw new IndexNotFoundException(
          "["
              + DocWriteRequest.REQUIRE_ALIAS
              + "] request flag is [true] and ["
              + request.index()
              + "] is not an alias",
          request.index());
    }
    if (isMissing(view)) {
      if (!created) {
        return new WriteStep.RunFirst(List.of(createIndexOperation()));
      }
      if (certainty != ViewFreshness.FINAL_ATTEMPT) {
        return new WriteStep.AwaitNewerView();
      }
    }
    ClusterBlockException block = state.blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    if (block != null) {
      return stepForBlock(block, certainty);
    }
    Index index = resolve(state);
    SingleInstanceInternals.setConcreteIndex(request, index.getName());
    TransportUpdateAction.resolveAndValidateRouting(state.metadata(), index.getName(), request);
    block = state.blocks().indexBlockedException(ClusterBlockLevel.WRITE, index.getName());
    if (block != null) {
      return stepForBlock(block, certainty);
    }
    truncation.truncate(0, request, request.index(), state.metadata().getIndexSafe(index));
    return new WriteStep.Send(
        List.of(
            new UpdateOperation(
                this,
                DocumentShardResolver.shardOf(view, index, request.id(), request.routing()))));
  }

  private boolean isMissing(ClusterView view) {
    try {
      boolean missing = tools.autoCreation().shouldCreate(request.index(), view);
      if (missing) {
        requireNonSystemIndex();
      }
      return missing;
    } catch (IndexNotFoundException forbidden) {
      requireNonSystemIndex();
      throw forbidden;
    }
  }

  /** Passes a name with a dot through: it may be a system index, which only nodes know. */
  private void requireNonSystemIndex() {
    if (request.index().startsWith(".") && !created) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
  }

  /** The step of a write that meets a block, which may have been lifted meanwhile. */
  static WriteStep stepForBlock(ClusterBlockException block, ViewFreshness certainty) {
    if (block.retryable()) {
      return new WriteStep.RetryLater(block);
    }
    return certainty == ViewFreshness.CACHED
        ? new WriteStep.ConfirmView()
        : new WriteStep.Fail(block);
  }

  private Index resolve(ClusterState state) {
    Index index;
    try {
      index = tools.names().resolver().concreteWriteIndex(state, request);
    } catch (IndexNotFoundException e) {
      if (!request.includeDataStreams()
          && e.getMetadataKeys().contains(IndexNameExpressionResolver.EXCLUDED_DATA_STREAMS_KEY)) {
        throw new IllegalArgumentException(
            "only write ops with an op_type of create are allowed in data streams");
      }
      throw e;
    }
    if (state.metadata().getIndexSafe(index).isSystem()) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
    return index;
  }

  private CreateIndexOperation createIndexOperation() {
    return new CreateIndexOperation(
        CreateIndexAction.INSTANCE,
        new CreateIndexRequest()
            .index(request.index())
            .cause("auto(update api)")
            .clusterManagerNodeTimeout(remainingTime()),
        context,
        () -> created = true,
        cause -> failure = cause);
  }

  void onReply(UpdateResponse reply, ReplyFrame frame) {
    if (reply.getGetResult() != null) {
      frame.retain();
      context.onEnd(frame::release);
    }
    response = reply;
  }

  /** Records that a lost attempt may have done the update. */
  void markUncertain() {
    possiblyExecuted = true;
  }

  /** The client's error for a failure that is not a node's response. */
  Exception toClientFailure(Exception cause) {
    return possiblyExecuted ? OutcomeUnknownException.afterLostAttempt(context, cause) : cause;
  }

  /** The update failed and is not retried. */
  void onShardFailure(Exception cause) {
    failure = cause;
  }

  @Override
  public void onFinished() {
    truncation.addWarnings(context);
    listener.onResponse(response);
  }

  @Override
  public void onDeadlineExpired() {
    listener.onFailure(
        failure == null
            ? toClientFailure(
                DeadlineExceededException.forWrite(
                    context, DeadlineExceededException.WriteState.NOT_WRITTEN))
            : failure);
  }

  @Override
  public void onFailure(Exception cause) {
    listener.onFailure(toClientFailure(cause));
  }
}
