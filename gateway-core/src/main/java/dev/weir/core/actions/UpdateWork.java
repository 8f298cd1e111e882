package dev.weir.core.actions;

import dev.weir.core.actions.truncate.TruncatedValues;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.core.coordinate.WriteStep;
import dev.weir.core.coordinate.WriteWork;
import dev.weir.rest.PassThroughReasons;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.admin.indices.create.CreateIndexAction;
import org.opensearch.action.admin.indices.create.CreateIndexRequest;
import org.opensearch.action.support.single.instance.SingleInstanceDoor;
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
 * One update: the index is created when it is missing, then the primary's node reads, changes and
 * writes the document. Confined to the request's home.
 */
final class UpdateWork implements WriteWork {
  private final DocumentTools tools;
  private final UpdateRequest request;
  private final RequestContext context;
  private final ActionListener<UpdateResponse> listener;
  private final TruncatedValues truncated;
  private boolean maybeDone;
  private boolean created;
  private @Nullable UpdateResponse response;
  private @Nullable Exception failure;

  UpdateWork(
      DocumentTools tools,
      UpdateRequest request,
      RequestContext context,
      ActionListener<UpdateResponse> listener) {
    this.tools = tools;
    this.request = request;
    this.context = context;
    this.listener = listener;
    this.truncated = tools.truncation().begin(context.policy());
  }

  UpdateRequest request() {
    return request;
  }

  RequestContext context() {
    return context;
  }

  @Override
  public Duration patience() {
    return Duration.ofNanos(request.timeout().nanos());
  }

  /** How long a node may take for what it is sent now. */
  TimeValue timeLeft() {
    return TimeLeft.least(request.timeout(), context.deadline(), tools.environment().nanoClock());
  }

  @Override
  public WriteStep plan(ClusterView view, Certainty certainty) {
    if (response != null) {
      return new WriteStep.Send(List.of());
    }
    if (failure != null) {
      return new WriteStep.Fail(failure);
    }
    try {
      return planUnanswered(view, certainty);
    } catch (IndexNotFoundException | IndexClosedException absent) {
      return certainty == Certainty.CACHED ? new WriteStep.Confirm() : new WriteStep.Fail(absent);
    }
  }

  private WriteStep planUnanswered(ClusterView view, Certainty certainty) {
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
        return new WriteStep.First(List.of(creation()));
      }
      if (certainty != Certainty.LAST) {
        return new WriteStep.CatchUp();
      }
    }
    ClusterBlockException block = state.blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    if (block != null) {
      return blocked(block, certainty);
    }
    Index index = resolve(state);
    SingleInstanceDoor.concreteIndex(request, index.getName());
    TransportUpdateAction.resolveAndValidateRouting(state.metadata(), index.getName(), request);
    block = state.blocks().indexBlockedException(ClusterBlockLevel.WRITE, index.getName());
    if (block != null) {
      return blocked(block, certainty);
    }
    truncated.look(0, request, request.index(), state.metadata().getIndexSafe(index));
    return new WriteStep.Send(
        List.of(
            new UpdatePart(this, DocShards.shard(view, index, request.id(), request.routing()))));
  }

  private boolean isMissing(ClusterView view) {
    try {
      boolean missing = tools.autoCreate().creates(request.index(), view);
      if (missing) {
        requireOurs();
      }
      return missing;
    } catch (IndexNotFoundException forbidden) {
      requireOurs();
      throw forbidden;
    }
  }

  /** A name with a dot may be a system index, which nodes alone know. */
  private void requireOurs() {
    if (request.index().startsWith(".") && !created) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
  }

  /** What a write does that meets a block: it may have been lifted meanwhile. */
  static WriteStep blocked(ClusterBlockException block, Certainty certainty) {
    if (block.retryable()) {
      return new WriteStep.NotYet(block);
    }
    return certainty == Certainty.CACHED ? new WriteStep.Confirm() : new WriteStep.Fail(block);
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

  private WriteIndexCreation creation() {
    return new WriteIndexCreation(
        CreateIndexAction.INSTANCE,
        new CreateIndexRequest()
            .index(request.index())
            .cause("auto(update api)")
            .clusterManagerNodeTimeout(timeLeft()),
        context,
        () -> created = true,
        why -> failure = why);
  }

  /** The update was done. */
  void answered(UpdateResponse reply, ReplyFrame frame) {
    if (reply.getGetResult() != null) {
      frame.retain();
      context.onEnd(frame::release);
    }
    response = reply;
  }

  /** An attempt was lost and may have done it. */
  void doubt() {
    maybeDone = true;
  }

  /** What is told of a failure that is no node's answer. */
  Exception told(Exception why) {
    return maybeDone ? OutcomeUnknownException.afterLoss(context, why) : why;
  }

  /** The update failed for good. */
  void shardFailed(Exception why) {
    failure = why;
  }

  @Override
  public void finished() {
    truncated.tell(context);
    listener.onResponse(response);
  }

  @Override
  public void expired() {
    listener.onFailure(
        failure == null
            ? told(
                DeadlineExceededException.writing(
                    context.deadline(), DeadlineExceededException.Done.NO))
            : failure);
  }

  @Override
  public void failed(Exception why) {
    listener.onFailure(told(why));
  }
}
