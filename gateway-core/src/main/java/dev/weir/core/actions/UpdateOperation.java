package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.actions.retry.OutcomeUnknownException;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import org.apache.lucene.store.AlreadyClosedException;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.support.TransportActions;
import org.opensearch.action.support.single.instance.SingleInstanceInternals;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.shard.IllegalIndexShardStateException;

/**
 * An update on its way to the node of its shard's primary, routed as OpenSearch's {@code
 * TransportInstanceSingleOperationAction} does; a scripted one that may have been done is not
 * repeated: a script may count.
 */
final class UpdateOperation implements WriteOperation<UpdateResponse> {
  private static final String ACTION = UpdateAction.NAME + "[s]";

  private final UpdateWork work;
  private final ShardId shard;

  UpdateOperation(UpdateWork work, ShardId shard) {
    this.work = work;
    this.shard = shard;
  }

  @Override
  public Duration waitTimeout() {
    return work.waitTimeout();
  }

  @Override
  public WriteTarget target(ClusterView view) {
    if (view.state().metadata().index(shard.getIndex()) == null) {
      return new WriteTarget.Missing();
    }
    ShardCopy primary = DocumentShardResolver.activePrimary(view, shard);
    if (primary != null && view.nodes().containsKey(primary.nodeId())) {
      SingleInstanceInternals.setShard(work.request(), shard);
      return new WriteTarget.Node(primary.nodeId());
    }
    return new WriteTarget.RetryLater(
        new UnavailableShardsException(
            shard,
            "[{}] shardIt, [{}] active : Timeout waiting for [{}], request: {}",
            1,
            0,
            work.request().timeout(),
            UpdateAction.NAME));
  }

  @Override
  public NodeCall<UpdateResponse> call() {
    work.request().timeout(work.remainingTime());
    return new NodeCall<>(
        ACTION,
        work.request(),
        UpdateResponse::new,
        ChannelKind.BULK,
        work.context().transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public NodeSender.@Nullable LoadFeedback<UpdateResponse> loadFeedback() {
    return null;
  }

  @Override
  public FailureClass classify(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    if (WriteFailureClassifier.isNodeGone(answer)
        || cause instanceof AlreadyClosedException
        || cause instanceof IllegalIndexShardStateException) {
      return FailureClass.UNCERTAIN;
    }
    FailureClass refusal = WriteFailureClassifier.classifyRejection(answer, ACTION);
    if (refusal != null) {
      return refusal == FailureClass.REJECTED && !isRejectedBeforeUpdate(cause)
          ? FailureClass.REJECTED_DURING_EXECUTION
          : refusal;
    }
    return TransportActions.isShardNotAvailableException(answer)
        ? FailureClass.NOT_READY
        : FailureClass.FINAL;
  }

  /**
   * Whether it was rejected on arrival, or when its node started to write: any other rejection is
   * that of the shard's bulk, without its wrappers.
   */
  private static boolean isRejectedBeforeUpdate(Throwable refusal) {
    return refusal instanceof CircuitBreakingException
        || String.valueOf(refusal.getMessage())
            .startsWith("rejected execution of coordinating operation");
  }

  @Override
  public long reportedByteLimit(Exception refusal) {
    return WriteFailureClassifier.reportedByteLimit(refusal);
  }

  @Override
  public long bytes() {
    return work.request().ramBytesUsed();
  }

  @Override
  public boolean prepareRetry(Exception why) {
    UpdateRequest request = work.request();
    if (request.script() != null) {
      work.onShardFailure(OutcomeUnknownException.forUnsafeRetry(why));
      return false;
    }
    work.context().resources().setPossiblyRepeated(0);
    if (WriteFailureClassifier.mayHaveExecuted(why)) {
      work.context().resources().setPossiblyExecuted(0);
    }
    return true;
  }

  @Override
  public @Nullable Exception onReply(UpdateResponse reply, ReplyFrame frame) {
    work.onReply(reply, frame);
    return null;
  }

  @Override
  public void onFailure(Exception why) {
    work.onShardFailure(work.toClientFailure(why));
  }

  /** Passes on the error of a retry, such as a conflict, as a node does. */
  @Override
  public void onUncertain(UncertaintyReason reason, Exception why) {
    work.onShardFailure(
        reason == UncertaintyReason.RETRY_FAILED
            ? why
            : OutcomeUnknownException.forReason(reason, why));
  }

  @Override
  public void onDeadlineExpired(boolean maybeDone) {
    if (maybeDone) {
      work.onShardFailure(
          DeadlineExceededException.forWrite(
              work.context(), DeadlineExceededException.WriteState.UNKNOWN));
    }
  }

  @Override
  public void onReplan(Exception why, boolean maybeDone) {
    if (maybeDone) {
      work.markUncertain();
    }
  }
}
