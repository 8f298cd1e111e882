package dev.weir.core.coordinate;

import dev.weir.core.reduce.NodeRound;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends every call of a round to the one node that can answer it. Confined to the request's home.
 */
final class NodeFanOut<R> implements NodeSender.Piggyback<R> {
  private final NodeRound<R> round;
  private final OutstandingCalls calls;
  private final Supplier<@Nullable Exception> refusal;
  private final Consumer<NodeFanOut<R>> end;
  private final Set<String> gone = new HashSet<>();
  private @Nullable Exception firstGone;
  private int left;
  private int lost;

  /**
   * Makes a fan-out.
   *
   * @param refusal why nothing more must be sent; null while sending is fine
   * @param end hears once that every call has its outcome
   */
  NodeFanOut(
      NodeRound<R> round,
      OutstandingCalls calls,
      Supplier<@Nullable Exception> refusal,
      Consumer<NodeFanOut<R>> end) {
    this.round = round;
    this.calls = calls;
    this.refusal = refusal;
    this.end = end;
    this.left = round.calls();
  }

  /** How many calls there were. */
  int calls() {
    return round.calls();
  }

  /** Shards that had answered before and count as failed now. */
  int lost() {
    return lost;
  }

  /**
   * Nodes that were lost with what they held for the search.
   *
   * @param first how the first of them was lost
   */
  record Loss(Set<String> nodeIds, Exception first) {}

  /** What the search may start over for; null for nothing. */
  @Nullable Loss loss() {
    return firstGone == null ? null : new Loss(Set.copyOf(gone), firstGone);
  }

  void start() {
    if (left == 0) {
      end.accept(this);
      return;
    }
    int all = left;
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
      call = round.call(index);
    } catch (Exception e) {
      calls.later().execute(() -> failed(index, e));
      return;
    }
    calls.send(
        round.nodeId(index),
        round.work(index),
        call,
        this,
        new OutstandingCalls.Outcome<>() {
          @Override
          public void replied(R reply, ReplyFrame frame) {
            NodeFanOut.this.replied(index, reply, frame);
          }

          @Override
          public void failed(Exception failure) {
            NodeFanOut.this.failed(index, failure);
          }
        });
  }

  private void replied(int index, R reply, ReplyFrame frame) {
    boolean[] taken = new boolean[1];
    try {
      round.reply(
          index,
          reply,
          frame,
          () -> {
            if (!taken[0]) {
              taken[0] = true;
              callDone();
            }
          });
    } catch (RuntimeException unreadable) {
      if (taken[0]) {
        throw unreadable;
      }
      taken[0] = true;
      failed(index, unreadable);
    }
  }

  private void failed(int index, Exception failure) {
    if (round.gone(failure)) {
      gone.add(round.nodeId(index));
      firstGone = firstGone == null ? failure : firstGone;
    }
    if (round.failed(index, failure)) {
      lost++;
    }
    callDone();
  }

  private void callDone() {
    if (--left == 0) {
      end.accept(this);
    }
  }
}
