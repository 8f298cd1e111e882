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
 * One attempt at one shard on one copy. An abandoned attempt holds only what it needs to free what
 * its late reply reports. Confined to the request's event loop.
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

  ShardAttempt(AttemptListener<R> listener, int shard, String nodeId, boolean isHedge) {
    this.listener = listener;
    this.shard = shard;
    this.nodeId = nodeId;
    this.isHedge = isHedge;
  }

  int shard() {
    return shard;
  }

  String nodeId() {
    return nodeId;
  }

  /** Whether the attempt is a hedged request. */
  boolean isHedge() {
    return isHedge;
  }

  /** The call; one that was never sent can't be abandoned. */
  PendingCall call() {
    PendingCall sent = call;
    return sent == null ? () -> false : sent;
  }

  /** Counts a call that waited on its node until now. */
  void begin() {
    if (call instanceof NodeSender.QueuedCall waiting) {
      waiting.begin();
    }
  }

  /** Sends a call that can't be abandoned alone. */
  void send(
      OutstandingCalls through,
      NodeCallType work,
      NodeCall<R> plain,
      NodeSender.LoadFeedback<R> load) {
    calls = through;
    call = through.send(nodeId, work, plain, load, this);
  }

  /** Sends a call that can be abandoned alone. */
  void send(
      OutstandingCalls through,
      NodeCallType work,
      HedgeableCall<R> repeatable,
      NodeSender.LoadFeedback<R> load) {
    calls = through;
    NodeTaskBan own = repeatable.taskBan();
    task = own;
    orphanedContext = repeatable.orphanedContext();
    call =
        own == null
            ? through.send(nodeId, work, repeatable.call(), load, this)
            : through.send(nodeId, work, repeatable.call(), own, load, this);
  }

  /** Gives up the attempt: cancels a task of its own, and frees what it leaves on the node. */
  void abandon(AttemptPolicy tail) {
    listener = null;
    boolean cancel = tail.abandon(call());
    if (cancel && calls != null && task != null) {
      calls.cancelTask(task, LOST_RACE_REASON);
    }
    task = null;
  }

  @Override
  public boolean isResultUsed() {
    return listener != null;
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
      calls.sendFree(open.nodeId(), open.freeCall());
    }
  }
}
