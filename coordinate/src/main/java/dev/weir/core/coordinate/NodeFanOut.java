package dev.weir.core.coordinate;

import dev.weir.core.coordinate.StallWatch.StallRule;
import dev.weir.core.coordinate.flow.CallPacer;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends each call of a round to the only node that can answer it. Confined to the request's event
 * loop.
 */
final class NodeFanOut<R> implements NodeSender.LoadFeedback<R> {
  private final NodeRound<R> round;
  private final OutstandingCalls outstandingCalls;
  private final Supplier<@Nullable Exception> refusal;
  private final Consumer<NodeFanOut<R>> end;
  private final Set<String> lostNodeIds = new HashSet<>();
  private @Nullable Exception firstLossCause;
  private @Nullable StallWatch stallWatch;
  private @Nullable CallPacer pacer;
  private boolean isGivenUp;
  private int pendingCalls;
  private int failedShards;

  /**
   * Prepares the calls of a round.
   *
   * @param refusal why nothing more may be sent; null while sending is allowed
   * @param end hears once that every call has its outcome
   */
  NodeFanOut(
      NodeRound<R> round,
      OutstandingCalls calls,
      Supplier<@Nullable Exception> refusal,
      Consumer<NodeFanOut<R>> end) {
    this.round = round;
    this.outstandingCalls = calls;
    this.refusal = refusal;
    this.end = end;
    this.pendingCalls = round.callCount();
  }

  int callCount() {
    return round.callCount();
  }

  /** Shards that had succeeded in an earlier round and failed in this one. */
  int failedShards() {
    return failedShards;
  }

  /**
   * Nodes that were lost with the state that they held for the search, or that do not respond.
   *
   * @param firstCause how the first of them was lost; null if all of them only do not respond
   * @param isStall whether the round was given up because nodes do not respond
   */
  record NodeLoss(Set<String> nodeIds, @Nullable Exception firstCause, boolean isStall) {}

  /** The lost nodes for which the search may start over; null for none. */
  @Nullable NodeLoss nodeLoss() {
    return firstLossCause == null && !isGivenUp
        ? null
        : new NodeLoss(Set.copyOf(lostNodeIds), firstLossCause, isGivenUp);
  }

  /**
   * Starts, and gives up the round if nodes do not respond. Then the replies that still come count
   * no more.
   *
   * @param stallRule when to give up; null for never
   */
  void start(@Nullable StallRule stallRule) {
    if (stallRule == null || pendingCalls == 0) {
      start();
      return;
    }
    StallRule withLost =
        new StallRule(
            stallRule.leastWaitNanos(),
            silent -> {
              Set<String> unusable = new HashSet<>(lostNodeIds);
              unusable.addAll(silent);
              return stallRule.decision().test(unusable);
            });
    StallWatch watch = new StallWatch(outstandingCalls, withLost, this::giveUp);
    stallWatch = watch;
    start();
    if (pendingCalls > 0) {
      watch.start();
    }
  }

  private void giveUp(Set<String> silentNodeIds) {
    isGivenUp = true;
    lostNodeIds.addAll(silentNodeIds);
    end.accept(this);
  }

  /** Starts, with no more bytes in flight than a {@link CallPacer} allows. */
  void startPaced() {
    pacer = new CallPacer(round::nodeId, round::payloadBytes, this::send);
    start();
  }

  void start() {
    if (pendingCalls == 0) {
      end.accept(this);
      return;
    }
    int all = pendingCalls;
    if (pacer != null) {
      pacer.start(all);
      return;
    }
    for (int call = 0; call < all; call++) {
      send(call);
    }
  }

  @Override
  public int queueSize(R reply) {
    return round.queueSize(reply);
  }

  @Override
  public long serviceTimeNanos(R reply) {
    return round.serviceTimeNanos(reply);
  }

  private void send(int index) {
    NodeCall<R> call;
    try {
      Exception refused = refusal.get();
      if (refused != null) {
        throw refused;
      }
      call = round.createCall(index);
    } catch (Exception e) {
      if (stallWatch != null) {
        stallWatch.addUnsent();
      }
      outstandingCalls.executor().execute(() -> failed(index, e));
      return;
    }
    PendingCall sent = send(index, call);
    if (stallWatch != null) {
      stallWatch.add(round.nodeId(index), sent);
    }
  }

  private PendingCall send(int index, NodeCall<R> call) {
    OutstandingCalls.CallListener<R> listener =
        new OutstandingCalls.CallListener<>() {
          @Override
          public void onReply(R reply, ReplyFrame frame) {
            NodeFanOut.this.replied(index, reply, frame);
          }

          @Override
          public void onFailure(Exception failure) {
            NodeFanOut.this.failed(index, failure);
          }
        };
    NodeCallType work = round.callType(index);
    return work == null
        ? outstandingCalls.sendUntracked(round.nodeId(index), call, listener)
        : outstandingCalls.send(round.nodeId(index), work, call, this, listener);
  }

  private void replied(int index, R reply, ReplyFrame frame) {
    if (isGivenUp) {
      return;
    }
    onOutcome(index);
    boolean[] accepted = new boolean[1];
    try {
      round.onReply(
          index,
          reply,
          frame,
          () -> {
            if (!accepted[0]) {
              accepted[0] = true;
              callDone();
            }
          });
    } catch (RuntimeException unreadable) {
      if (accepted[0]) {
        throw unreadable;
      }
      accepted[0] = true;
      recordFailure(index, unreadable);
    }
  }

  private void failed(int index, Exception failure) {
    if (isGivenUp) {
      return;
    }
    onOutcome(index);
    recordFailure(index, failure);
  }

  private void recordFailure(int index, Exception failure) {
    if (round.isContextLost(failure)) {
      lostNodeIds.add(round.nodeId(index));
      firstLossCause = firstLossCause == null ? failure : firstLossCause;
    }
    if (round.onFailure(index, failure)) {
      failedShards++;
    }
    callDone();
  }

  private void onOutcome(int index) {
    if (stallWatch != null) {
      stallWatch.onOutcome(index);
    }
    if (pacer != null) {
      pacer.onOutcome(index);
    }
  }

  private void callDone() {
    if (--pendingCalls == 0 && !isGivenUp) {
      if (stallWatch != null) {
        stallWatch.stop();
      }
      end.accept(this);
    }
  }
}
