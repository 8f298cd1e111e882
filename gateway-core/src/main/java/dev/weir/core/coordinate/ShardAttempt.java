package dev.weir.core.coordinate;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.coordinate.ShardRound.HedgeableCall;
import dev.weir.core.coordinate.ShardRound.OrphanedContextFinder;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/**
 * One shard asked on one copy. Once it is given up it holds on to nothing but what it takes to free
 * what its late answer tells of. Confined to the request's home.
 */
final class ShardAttempt<R> implements OutstandingCalls.CallListener<R> {
  private static final String LOST_RACE_REASON = "another copy answered first";

  private final int shard;
  private final String nodeId;
  private final boolean isHedge;
  private @Nullable AttemptListener<R> listener;
  private @Nullable PendingCall call;
  private @Nullable OutstandingCalls calls;
  private @Nullable NodeTaskBan task;
  private @Nullable OrphanedContextFinder<R> orphanedContext;

  /** Hears the outcome of attempts that were not abandoned. */
  interface AttemptListener<R> {
    void onReply(ShardAttempt<R> attempt, R reply, ReplyFrame frame);

    void onFailure(ShardAttempt<R> attempt, Exception failure);
  }

  ShardAttempt(AttemptListener<R> listener, int shard, String nodeId, boolean second) {
    this.listener = listener;
    this.shard = shard;
    this.nodeId = nodeId;
    this.isHedge = second;
  }

  int shard() {
    return shard;
  }

  String nodeId() {
    return nodeId;
  }

  /** Whether it was sent because another is late. */
  boolean isHedge() {
    return isHedge;
  }

  /** The call; one that was never sent counts as nothing. */
  PendingCall call() {
    PendingCall sent = call;
    return sent == null ? () -> false : sent;
  }

  /** Sends a call that can't be given up alone. */
  void send(
      OutstandingCalls through,
      NodeCallType work,
      NodeCall<R> plain,
      NodeSender.LoadFeedback<R> load) {
    calls = through;
    call = through.send(nodeId, work, plain, load, this);
  }

  /** Sends a call that can be given up alone. */
  void send(
      OutstandingCalls through,
      NodeCallType work,
      HedgeableCall<R> repeatable,
      NodeSender.LoadFeedback<R> load) {
    calls = through;
    task = repeatable.taskBan();
    orphanedContext = repeatable.orphanedContext();
    call = through.send(nodeId, work, repeatable.call(), repeatable.taskBan(), load, this);
  }

  /** Nobody waits for it any more: its task is cancelled if need be, what it leaves is freed. */
  void abandon(AttemptPolicy tail) {
    listener = null;
    boolean cancel = tail.abandon(call());
    if (cancel && calls != null && task != null) {
      calls.cancelTask(task, LOST_RACE_REASON);
    }
    task = null;
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (listener != null) {
      listener.onReply(this, reply, frame);
    } else if (orphanedContext != null) {
      freeSearchContext(orphanedContext.find(reply));
    }
  }

  @Override
  public void onFailure(Exception failure) {
    if (listener != null) {
      listener.onFailure(this, failure);
    } else if (orphanedContext != null && failure instanceof NodeCallException sending) {
      freeSearchContext(orphanedContext.find(sending));
    }
  }

  private void freeSearchContext(@Nullable OpenContext open) {
    if (open != null && calls != null) {
      calls.sendUntracked(open.nodeId(), open.freeCall());
    }
  }
}
