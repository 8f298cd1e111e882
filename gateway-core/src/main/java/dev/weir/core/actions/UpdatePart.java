package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.WritePart;
import dev.weir.core.coordinate.WriteTarget;
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
import org.opensearch.action.support.single.instance.SingleInstanceDoor;
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
final class UpdatePart implements WritePart<UpdateResponse> {
  private static final String ACTION = UpdateAction.NAME + "[s]";

  private final UpdateWork work;
  private final ShardId shard;

  UpdatePart(UpdateWork work, ShardId shard) {
    this.work = work;
    this.shard = shard;
  }

  @Override
  public Duration patience() {
    return work.patience();
  }

  @Override
  public WriteTarget target(ClusterView view) {
    if (view.state().metadata().index(shard.getIndex()) == null) {
      return new WriteTarget.Gone();
    }
    ShardCopy primary = DocShards.primary(view, shard);
    if (primary != null && view.nodes().containsKey(primary.nodeId())) {
      SingleInstanceDoor.shard(work.request(), shard);
      return new WriteTarget.Node(primary.nodeId());
    }
    return new WriteTarget.NotYet(
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
    work.request().timeout(work.timeLeft());
    return new NodeCall<>(
        ACTION,
        work.request(),
        UpdateResponse::new,
        ChannelKind.BULK,
        work.context().transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public NodeSender.@Nullable Piggyback<UpdateResponse> piggyback() {
    return null;
  }

  @Override
  public Verdict judge(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    if (WriteVerdicts.isNodeGone(answer)
        || cause instanceof AlreadyClosedException
        || cause instanceof IllegalIndexShardStateException) {
      return Verdict.UNSURE;
    }
    Verdict refusal = WriteVerdicts.refusal(answer, ACTION);
    if (refusal != null) {
      return refusal == Verdict.REFUSED && !cameBeforeTheUpdate(cause)
          ? Verdict.REFUSED_WITHIN
          : refusal;
    }
    return TransportActions.isShardNotAvailableException(answer) ? Verdict.NOT_YET : Verdict.FINAL;
  }

  /**
   * Whether it was refused on arrival, or when its node began to write what it came to: any other
   * refusal is that of the shard's bulk, whose wrappers are gone.
   */
  private static boolean cameBeforeTheUpdate(Throwable refusal) {
    return refusal instanceof CircuitBreakingException
        || String.valueOf(refusal.getMessage())
            .startsWith("rejected execution of coordinating operation");
  }

  @Override
  public long limitSaid(Exception refusal) {
    return WriteVerdicts.limitSaid(refusal);
  }

  @Override
  public long bytes() {
    return work.request().ramBytesUsed();
  }

  @Override
  public boolean prepareRepeat(Exception why) {
    UpdateRequest request = work.request();
    if (request.script() != null) {
      work.shardFailed(OutcomeUnknownException.unrepeatable(why));
      return false;
    }
    return true;
  }

  @Override
  public @Nullable Exception answered(UpdateResponse reply, ReplyFrame frame) {
    work.answered(reply, frame);
    return null;
  }

  @Override
  public void failed(Exception why) {
    work.shardFailed(work.told(why));
  }

  /** An answer to a repeat, such as a conflict, is told as a node tells it. */
  @Override
  public void doubtful(Doubt doubt, Exception why) {
    work.shardFailed(doubt == Doubt.REPEAT_FAILED ? why : OutcomeUnknownException.of(doubt, why));
  }

  @Override
  public void expired(boolean maybeDone) {
    if (maybeDone) {
      work.shardFailed(
          DeadlineExceededException.writing(
              work.context().deadline(), DeadlineExceededException.Done.UNKNOWN));
    }
  }

  @Override
  public void givenBack(Exception why, boolean maybeDone) {
    if (maybeDone) {
      work.doubt();
    }
  }
}
