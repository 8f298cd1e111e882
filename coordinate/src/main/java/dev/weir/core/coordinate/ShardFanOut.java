package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Queries every shard of a round: its best copy first, and the next one after a failure or when a
 * copy is late, with a bound on the requests in flight to a node. The first reply of two copies
 * counts; the other copy's task is cancelled, and what it leaves behind is freed when its reply
 * comes. Confined to the request's event loop.
 *
 * <p>Never calls back from within {@link #start} or {@link #query}: an immediate failure runs in a
 * task of its own, so that a thousand failing shards do not make a thousand nested calls.
 */
final class ShardFanOut<R> implements NodeSender.LoadFeedback<R>, ShardAttempt.AttemptListener<R> {
  /** Stands for the failure that a late copy has not had yet. */
  private static final Exception LATE_COPY = new TimeoutException("late");

  /**
   * How many waiting shards are examined when a permit becomes free. When nothing is in flight, the
   * first of them finds a permit.
   */
  private static final int MAX_EXAMINED = 64;

  private final ShardRound<R> round;
  private final List<PlannedShard> shards;
  private final OutstandingCalls calls;
  private final AttemptPolicy attemptPolicy;
  private final Supplier<@Nullable Exception> cancellationCheck;
  private final Consumer<ShardFanOut<R>> end;
  private final NodePermits permits;

  /** Shards whose copies have no permit left. */
  private final Deque<Integer> pending = new ArrayDeque<>();

  private final Map<Integer, List<String>> reorderedNodeIds = new HashMap<>();
  private final int[] nextCopy;
  private final AttemptTracker<R> attempts;
  private int pendingShards;
  private int successfulShards;
  private boolean isPlanStale;
  private boolean queryingPending;

  /**
   * Prepares a round.
   *
   * @param permits how many requests may be in flight to one node; 0 for no bound
   * @param refusal why nothing more may be sent; null while sending is allowed
   * @param end hears once that every shard has succeeded or has no copy left
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
    this.permits = new NodePermits(permits);
    this.calls = calls;
    this.attemptPolicy = calls.tail();
    this.cancellationCheck = refusal;
    this.end = end;
    this.nextCopy = new int[shards.size()];
    this.attempts = new AttemptTracker<>(shards.size(), calls, round.isHedgeable(), this::hedge);
    this.pendingShards = shards.size();
  }

  int successfulShards() {
    return successfulShards;
  }

  /** Whether a shard found no copy because shards may have moved since the plan was made. */
  boolean isPlanStale() {
    return isPlanStale;
  }

  void start() {
    if (shards.isEmpty()) {
      calls.executor().execute(() -> end.accept(this));
      return;
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).nodeIds().isEmpty()) {
        int without = shard;
        calls
            .executor()
            .execute(() -> {
              round.onUnavailable(without);
              onShardDone();
            });
      } else {
        query(shard, true);
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

  private void query(int shard, boolean fresh) {
    if (!tryQuery(shard, fresh)) {
      pending.add(shard);
    }
  }

  /**
   * Queries a shard; returns false when no permit is left.
   *
   * @param fresh whether the shard's copies were ranked just now
   */
  private boolean tryQuery(int shard, boolean fresh) {
    if (nextCopy[shard] == 0
        && round.canQueue()
        && shards.get(shard).interchangeable().size() > 1) {
      return queryInterchangeable(shard, fresh);
    }
    String nodeId = node(shard);
    if (!permits.isAvailable(nodeId)) {
      return false;
    }
    send(shard, nodeId);
    return true;
  }

  /**
   * Queries one of a shard's equally good copies; returns false when some of their nodes have no
   * permit left, the first copy's among them.
   */
  private boolean queryInterchangeable(int shard, boolean fresh) {
    List<ShardCopy> copies = shards.get(shard).interchangeable();
    if (copies.stream().allMatch(copy -> permits.isAvailable(copy.nodeId()))) {
      send(shard, first(shard, calls.selectNode(copies, round.callType(), fresh)));
      return true;
    }
    // does not use a worse copy because this search occupies the best one's node
    String nodeId = copies.getFirst().nodeId();
    if (!permits.isAvailable(nodeId)) {
      return false;
    }
    send(shard, first(shard, nodeId));
    return true;
  }

  /** Queries waiting shards in order, as far as permits allow. */
  private void queryPending() {
    if (queryingPending || pending.isEmpty()) {
      return;
    }
    queryingPending = true;
    calls.sendTogetherSoon(); // several replies may have come in one message
    List<Integer> without = new ArrayList<>();
    while (!pending.isEmpty() && without.size() < MAX_EXAMINED) {
      Integer shard = pending.removeFirst();
      if (!tryQuery(shard, false)) {
        without.add(shard);
      }
    }
    without.reversed().forEach(pending::addFirst);
    queryingPending = false;
  }

  /** Puts the copy on this node before the others of a shard. */
  private String first(int shard, String nodeId) {
    List<String> planned = shards.get(shard).nodeIds();
    if (!planned.getFirst().equals(nodeId)) {
      List<String> nodes = new ArrayList<>(planned);
      nodes.remove(nodeId);
      nodes.addFirst(nodeId);
      reorderedNodeIds.put(shard, nodes);
    }
    return nodeId;
  }

  private void send(int shard, String nodeId) {
    permits.acquire(nodeId);
    send(shard, nodeId, nextCopy[shard] == 0 ? first(shard) : AttemptPolicy.Reason.RETRY);
  }

  private AttemptPolicy.Reason first(int shard) {
    return shards.get(shard).nodeIds().size() == 1
        ? AttemptPolicy.Reason.ONLY_COPY
        : AttemptPolicy.Reason.BEST;
  }

  private void send(int shard, String nodeId, AttemptPolicy.Reason reason) {
    ShardAttempt<R> attempt =
        new ShardAttempt<>(this, shard, nodeId, reason == AttemptPolicy.Reason.HEDGE);
    try {
      Exception refused = cancellationCheck.get();
      if (refused != null) {
        throw refused;
      }
      boolean another = nextCopy[shard] + 1 < shards.get(shard).nodeIds().size();
      if (reason == AttemptPolicy.Reason.HEDGE || (another && attempts.isHedgingEnabled())) {
        attempt.send(calls, round.callType(), round.createHedgeableCall(shard, nodeId), this);
      } else {
        attempt.send(calls, round.callType(), round.createCall(shard, nodeId), this);
      }
      ShardRoutingRecorder.Reason known =
          attemptPolicy.recordAttempt(attempt.call(), nodeId, reason);
      notes(shard).recordAttempt(round.name(), nodeId, known);
      attempts.onSent(attempt, another);
    } catch (Exception e) {
      attempts.onSent(attempt, false);
      calls.executor().execute(() -> onFailure(attempt, e));
    }
  }

  /** Sends a hedged request for a shard, if it is worth it. */
  private boolean hedge(ShardAttempt<R> first) {
    int shard = first.shard();
    int next = nextCopy[shard] + 1;
    if (cancellationCheck.get() != null || next >= shards.get(shard).nodeIds().size()) {
      return false;
    }
    String nodeId = nodes(shard).get(next);
    if (!permits.isAvailable(nodeId)
        || round.shouldSkipCopy(shard, nodeId, LATE_COPY)
        || !attemptPolicy.shouldHedge(first.call(), nodeId)) {
      return false;
    }
    nextCopy[shard] = next;
    permits.acquire(nodeId);
    send(shard, nodeId, AttemptPolicy.Reason.HEDGE);
    return true;
  }

  @Override
  public void onReply(ShardAttempt<R> attempt, R reply, ReplyFrame frame) {
    ReplyAcceptance acceptance = new ReplyAcceptance(attempt);
    try {
      round.onReply(attempt.shard(), attempt.nodeId(), reply, frame, acceptance);
    } catch (RuntimeException unreadable) {
      if (acceptance.completed) {
        onAnswerAccepted(acceptance);
        throw unreadable;
      }
      acceptance.completed = true;
      onFailure(attempt, unreadable);
      return;
    }
    onAnswerAccepted(acceptance);
  }

  private void onAnswerAccepted(ReplyAcceptance acceptance) {
    ShardAttempt<R> attempt = acceptance.attempt;
    ShardAttempt<R> loser = attempts.onWon(attempt);
    acceptance.record();
    if (loser != null) {
      notes(loser.shard()).recordOutcome(loser.nodeId(), ShardRoutingRecorder.Outcome.SUPERSEDED);
      release(loser.nodeId());
    }
    release(attempt.nodeId());
  }

  /** Counts a shard once its reply was taken in; the first call counts. */
  private final class ReplyAcceptance implements Runnable {
    private final ShardAttempt<R> attempt;
    private boolean completed;
    private boolean recorded;

    ReplyAcceptance(ShardAttempt<R> attempt) {
      this.attempt = attempt;
    }

    @Override
    public void run() {
      if (!completed) {
        completed = true;
        successfulShards++;
        // before the last shard ends the request, whose routing decisions may be read then
        record();
        onShardDone();
      }
    }

    /** Records once: the next phase may have queried the same node meanwhile. */
    void record() {
      if (!recorded) {
        recorded = true;
        notes(attempt.shard())
            .recordOutcome(attempt.nodeId(), ShardRoutingRecorder.Outcome.ANSWERED);
      }
    }
  }

  @Override
  public void onFailure(ShardAttempt<R> attempt, Exception failure) {
    int shard = attempt.shard();
    String nodeId = attempt.nodeId();
    calls.onShardFailure(failure);
    round.onFailure(shard, nodeId, failure);
    notes(shard).recordOutcome(nodeId, ShardRoutingRecorder.Outcome.FAILED);
    if (attempts.onFailed(attempt)) {
      release(nodeId); // the other copy is still in flight
      return;
    }
    int copies = shards.get(shard).nodeIds().size();
    boolean another = false;
    while (!another && ++nextCopy[shard] < copies) {
      another = !round.shouldSkipCopy(shard, node(shard), failure);
    }
    boolean refused = cancellationCheck.get() != null; // then no call is sent, on whichever path
    if (another && (refused || attemptPolicy.canRetry(failure))) {
      query(shard, false);
      release(nodeId);
    } else {
      isPlanStale |= round.isStale(failure);
      release(nodeId);
      onShardDone();
    }
  }

  private ShardRoutingRecorder notes(int shard) {
    return shards.get(shard).notes();
  }

  private String node(int shard) {
    return nodes(shard).get(nextCopy[shard]);
  }

  /** The nodes of a shard in the order in which they are tried. */
  private List<String> nodes(int shard) {
    List<String> nodes = reorderedNodeIds.get(shard);
    return nodes == null ? shards.get(shard).nodeIds() : nodes;
  }

  private void release(String nodeId) {
    permits.release(nodeId);
    queryPending();
  }

  private void onShardDone() {
    if (--pendingShards == 0) {
      attempts.stop();
      end.accept(this);
    }
  }
}
