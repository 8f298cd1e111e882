package dev.weir.core.coordinate;

import dev.weir.core.reduce.NodeTasks;
import dev.weir.core.reduce.SearchWork.OpenContext;
import dev.weir.core.reduce.ShardRound.Left;
import dev.weir.core.reduce.ShardRound.Repeatable;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/**
 * One shard asked on one copy. Once it is given up it holds on to nothing but what it takes to free
 * what its late answer tells of. Confined to the request's home.
 */
final class Attempt<R> implements OutstandingCalls.Outcome<R> {
  private static final String LOST = "another copy answered first";

  private final int shard;
  private final String nodeId;
  private final boolean second;
  private @Nullable ShardFanOut<R> fanOut;
  private @Nullable PendingCall call;
  private @Nullable OutstandingCalls calls;
  private @Nullable NodeTasks task;
  private @Nullable Left<R> left;

  Attempt(ShardFanOut<R> fanOut, int shard, String nodeId, boolean second) {
    this.fanOut = fanOut;
    this.shard = shard;
    this.nodeId = nodeId;
    this.second = second;
  }

  int shard() {
    return shard;
  }

  String nodeId() {
    return nodeId;
  }

  /** Whether it was sent because another is late. */
  boolean second() {
    return second;
  }

  /** The call; one that was never sent counts as nothing. */
  PendingCall call() {
    PendingCall sent = call;
    return sent == null ? () -> false : sent;
  }

  /** Sends a call that can't be given up alone. */
  void sent(OutstandingCalls through, Work work, NodeCall<R> plain, NodeSender.Piggyback<R> load) {
    calls = through;
    call = through.send(nodeId, work, plain, load, this);
  }

  /** Sends a call that can be given up alone. */
  void sent(
      OutstandingCalls through, Work work, Repeatable<R> repeatable, NodeSender.Piggyback<R> load) {
    calls = through;
    task = repeatable.task();
    left = repeatable.left();
    call = through.send(nodeId, work, repeatable.call(), repeatable.task(), load, this);
  }

  /** Nobody waits for it any more: its task is cancelled if need be, what it leaves is freed. */
  void giveUp(Tail tail) {
    fanOut = null;
    boolean cancel = tail.abandon(call());
    if (cancel && calls != null && task != null) {
      calls.cancelTask(task, LOST);
    }
    task = null;
  }

  @Override
  public void replied(R reply, ReplyFrame frame) {
    if (fanOut != null) {
      fanOut.replied(this, reply, frame);
    } else if (left != null) {
      free(left.by(reply));
    }
  }

  @Override
  public void failed(Exception failure) {
    if (fanOut != null) {
      fanOut.failed(this, failure);
    } else if (left != null && failure instanceof NodeFailure sending) {
      free(left.by(sending));
    }
  }

  private void free(@Nullable OpenContext open) {
    if (open != null && calls != null) {
      calls.sendAside(open.nodeId(), open.freeing());
    }
  }
}
