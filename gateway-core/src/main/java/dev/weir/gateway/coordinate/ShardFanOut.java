package dev.weir.gateway.coordinate;

import dev.weir.gateway.plan.SearchPlan.PlannedShard;
import dev.weir.gateway.reduce.ShardRound;
import dev.weir.model.Phase;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks every shard of a round, each on its best copy first and on the next one after a failure,
 * with at most so many requests outstanding on a node. Confined to the request's home.
 *
 * <p>Never calls back from within {@link #start} or {@link #ask}: what fails at once fails in a
 * task of its own, so that a thousand failing shards do not make a thousand nested calls.
 */
final class ShardFanOut<R> implements NodeSender.Piggyback<R> {
  private final ShardRound<R> round;
  private final List<PlannedShard> shards;
  private final OutstandingCalls calls;
  private final Supplier<@Nullable Exception> refusal;
  private final Consumer<ShardFanOut<R>> end;
  private final Map<String, Slots> slots = new HashMap<>();
  private final int permits;
  private final int[] nextCopy;
  private int left;
  private int successful;
  private boolean stale;

  /** What is outstanding on a node, and which shards wait for it. */
  private static final class Slots {
    private int taken;
    private final Deque<Integer> waiting = new ArrayDeque<>(0);
  }

  /**
   * Makes a fan-out.
   *
   * @param permits how many requests may be outstanding on one node; 0 for no bound
   * @param refusal why nothing more must be sent; null while sending is fine
   * @param end hears once that every shard has answered or has no copy left
   */
  ShardFanOut(
      ShardRound<R> round,
      List<PlannedShard> shards,
      int permits,
      OutstandingCalls calls,
      Supplier<@Nullable Exception> refusal,
      Consumer<ShardFanOut<R>> end) {
    this.round = round;
    this.shards = shards;
    this.permits = permits;
    this.calls = calls;
    this.refusal = refusal;
    this.end = end;
    this.nextCopy = new int[shards.size()];
    this.left = shards.size();
  }

  /** Shards that have answered. */
  int successful() {
    return successful;
  }

  /** Whether a shard found no copy because shards may have moved since the plan was made. */
  boolean stale() {
    return stale;
  }

  void start() {
    if (shards.isEmpty()) {
      calls.later().execute(() -> end.accept(this));
      return;
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).nodes().isEmpty()) {
        int without = shard;
        calls
            .later()
            .execute(() -> {
              round.unavailable(without);
              shardDone();
            });
      } else {
        ask(shard);
      }
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

  private void ask(int shard) {
    String nodeId = node(shard);
    if (permits > 0) {
      Slots at = slots.computeIfAbsent(nodeId, id -> new Slots());
      if (at.taken == permits) {
        at.waiting.add(shard);
        return;
      }
      at.taken++;
    }
    send(shard, nodeId);
  }

  private void send(int shard, String nodeId) {
    NodeCall<R> call;
    try {
      Exception refused = refusal.get();
      if (refused != null) {
        throw refused;
      }
      call = round.call(shard, nodeId);
    } catch (Exception e) {
      calls.later().execute(() -> failed(shard, nodeId, e));
      return;
    }
    calls.send(
        nodeId,
        Phase.QUERY,
        call,
        this,
        new OutstandingCalls.Outcome<>() {
          @Override
          public void replied(R reply, ReplyFrame frame) {
            ShardFanOut.this.replied(shard, nodeId, reply, frame);
          }

          @Override
          public void failed(Exception failure) {
            ShardFanOut.this.failed(shard, nodeId, failure);
          }
        });
  }

  private void replied(int shard, String nodeId, R reply, ReplyFrame frame) {
    Taken taken = new Taken();
    try {
      round.reply(shard, nodeId, reply, frame, taken);
    } catch (RuntimeException unreadable) {
      if (taken.done) {
        throw unreadable;
      }
      taken.done = true;
      failed(shard, nodeId, unreadable);
      return;
    }
    release(nodeId);
  }

  /** Counts a shard's answer when it was taken in; the first call counts. */
  private final class Taken implements Runnable {
    private boolean done;

    @Override
    public void run() {
      if (!done) {
        done = true;
        successful++;
        shardDone();
      }
    }
  }

  private void failed(int shard, String nodeId, Exception failure) {
    round.failed(shard, nodeId, failure);
    boolean another = false;
    while (!another && ++nextCopy[shard] < shards.get(shard).nodes().size()) {
      another = !round.passesOver(shard, node(shard), failure);
    }
    if (another) {
      ask(shard);
      release(nodeId);
    } else {
      stale |= round.stale(failure);
      release(nodeId);
      shardDone();
    }
  }

  private String node(int shard) {
    return shards.get(shard).nodes().get(nextCopy[shard]);
  }

  private void release(String nodeId) {
    if (permits == 0) {
      return;
    }
    Slots at = slots.get(nodeId);
    if (at == null) {
      throw new IllegalStateException("got a release of node " + nodeId + " (expected: it asked)");
    }
    Integer waiting = at.waiting.poll();
    if (waiting == null) {
      at.taken--;
    } else {
      send(waiting, nodeId);
    }
  }

  private void shardDone() {
    if (--left == 0) {
      end.accept(this);
    }
  }
}
