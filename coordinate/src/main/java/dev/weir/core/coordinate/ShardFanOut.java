package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
 * <p>A node that takes several queries in one message gets those beyond the bound with the first
 * ones, and observes the bound itself. They begin for this class when one before them has ended:
 * then they hold a permit, count as the node's load, and may be hedged. Until then they are taken
 * back, and sent to other nodes, if the node stalls or is lost.
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

  private final CopyOrder copies;
  private final AttemptTracker<R> attempts;
  private int pendingShards;
  private int successfulShards;
  private boolean isPlanStale;
  private boolean queryingPending;

  /** Whether the first calls are being sent, with which others may travel. */
  private boolean isStarting;

  private final QueuedAttempts<R> queued = new QueuedAttempts<>();
  private boolean isBeginning;

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
    this.copies = new CopyOrder(shards);
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
    isStarting = round.canQueueOnNode();
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
    isStarting = false;
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
   * @param fresh whether the shard's first copy may be a test of its node; at the start it may,
   *     because {@link SearchAdmission} leaves no choice of a node that failed after the ranking
   */
  private boolean tryQuery(int shard, boolean fresh) {
    if (copies.isOpen(shard)
        && round.canQueue()
        && shards.get(shard).interchangeable().size() > 1) {
      return queryInterchangeable(shard, fresh);
    }
    String nodeId = copies.current(shard);
    if (isAvailable(nodeId)) {
      send(shard, nodeId);
      return true;
    }
    return sendQueued(shard, nodeId);
  }

  /** Whether a call to a node may begin now. */
  private boolean isAvailable(String nodeId) {
    return permits.isAvailable(nodeId) && queued.count(nodeId) == 0;
  }

  /** Sends a call that waits on the node; returns false if none may. */
  private boolean sendQueued(int shard, String nodeId) {
    if (!isStarting || !calls.canQueueOnNode(nodeId)) {
      return false;
    }
    calls.sendQueued(() -> send(shard, nodeId, first(shard), true));
    return true;
  }

  /**
   * Queries one of a shard's equally good copies; returns false when some of their nodes have no
   * permit left, the first copy's among them.
   */
  private boolean queryInterchangeable(int shard, boolean fresh) {
    List<ShardCopy> equals = shards.get(shard).interchangeable();
    if (areAllAvailable(equals)) {
      String selected = calls.selectNode(equals, round.callType(), fresh);
      send(shard, copies.putFirst(shard, selected));
      return true;
    }
    // does not use a worse copy because this search occupies the best one's node
    String nodeId = calls.firstNode(equals, round.callType(), fresh);
    if (isAvailable(nodeId)) {
      send(shard, copies.putFirst(shard, nodeId));
      return true;
    }
    String queuing = nodeWithShortestQueue(calls.waitableCopies(equals, round.callType()));
    return queuing != null && sendQueued(shard, copies.putFirst(shard, queuing));
  }

  private boolean areAllAvailable(List<ShardCopy> among) {
    for (ShardCopy copy : among) {
      if (!isAvailable(copy.nodeId())) {
        return false;
      }
    }
    return true;
  }

  /** Returns the node of one of these copies on which a call may wait; null for none. */
  private @Nullable String nodeWithShortestQueue(List<ShardCopy> among) {
    String found = null;
    for (ShardCopy copy : among) {
      String nodeId = copy.nodeId();
      if (isStarting
          && !permits.isAvailable(nodeId)
          && calls.canQueueOnNode(nodeId)
          && (found == null || queued.count(nodeId) < queued.count(found))) {
        found = nodeId;
      }
    }
    return found;
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

  private void send(int shard, String nodeId) {
    permits.acquire(nodeId);
    send(shard, nodeId, copies.isFirst(shard) ? first(shard) : AttemptPolicy.Reason.RETRY, false);
  }

  private AttemptPolicy.Reason first(int shard) {
    return shards.get(shard).nodeIds().size() == 1
        ? AttemptPolicy.Reason.ONLY_COPY
        : AttemptPolicy.Reason.BEST;
  }

  /**
   * Sends a call.
   *
   * @param waits whether it waits on the node, and has no permit
   */
  private void send(int shard, String nodeId, AttemptPolicy.Reason reason, boolean waits) {
    ShardAttempt<R> attempt =
        new ShardAttempt<>(this, shard, nodeId, reason == AttemptPolicy.Reason.HEDGE);
    if (waits) {
      queued.add(attempt);
    }
    try {
      Exception refused = cancellationCheck.get();
      if (refused != null) {
        throw refused;
      }
      boolean another = copies.next(shard) != null;
      if (reason == AttemptPolicy.Reason.HEDGE || (another && attempts.isHedgingEnabled())) {
        attempt.send(calls, round.callType(), round.createHedgeableCall(shard, nodeId), this);
      } else {
        attempt.send(calls, round.callType(), round.createCall(shard, nodeId), this);
      }
      ShardRoutingRecorder.Reason known =
          attemptPolicy.recordAttempt(attempt.call(), nodeId, reason);
      notes(shard).recordAttempt(round.name(), nodeId, known);
      if (waits) {
        attempts.onQueued(attempt);
      } else {
        attempts.onSent(attempt, another);
      }
    } catch (Exception e) {
      attempts.onSent(attempt, false);
      calls.executor().execute(() -> onFailure(attempt, e));
    }
  }

  /** Lets calls begin that waited on nodes where others are done, after those have been heard. */
  private void beginQueuedSoon() {
    if (!isBeginning) {
      isBeginning = true;
      calls.executor().execute(this::beginQueued);
    }
  }

  private void beginQueued() {
    isBeginning = false;
    for (String nodeId : queued.nodeIds()) {
      while (permits.isAvailable(nodeId)) {
        ShardAttempt<R> next = queued.poll(nodeId);
        if (next == null) {
          break;
        }
        permits.acquire(nodeId);
        next.begin();
        attempts.onBegun(next, copies.next(next.shard()) != null);
      }
    }
    queryPending();
  }

  /**
   * Takes the calls back that wait on a node that stalls: other nodes are asked, as if the calls
   * had waited here. The node's late replies are read, to free what it holds.
   */
  private void takeBack(String nodeId) {
    for (ShardAttempt<R> attempt : queued.removeIf(nodeId, this::hasOtherCopy)) {
      attempts.forget(attempt);
      attempt.abandon(attemptPolicy);
      notes(attempt.shard()).recordOutcome(nodeId, ShardRoutingRecorder.Outcome.SUPERSEDED);
      tryLast(attempt.shard(), nodeId);
    }
    queryPending();
  }

  private boolean hasOtherCopy(ShardAttempt<R> attempt) {
    String next = copies.next(attempt.shard());
    return next != null && !round.shouldSkipCopy(attempt.shard(), next, LATE_COPY);
  }

  /** Lets a shard wait for a permit, and its copy on a node be the last to be tried. */
  private void tryLast(int shard, String nodeId) {
    copies.putLast(shard, nodeId);
    pending.add(shard);
  }

  /** Sends a hedged request for a shard, if it is worth it. */
  private boolean hedge(ShardAttempt<R> first) {
    if (queued.count(first.nodeId()) > 0 && attemptPolicy.isStalled(first.call())) {
      takeBack(first.nodeId());
    }
    int shard = first.shard();
    String nodeId = copies.next(shard);
    if (cancellationCheck.get() != null
        || nodeId == null
        || !isAvailable(nodeId)
        || round.shouldSkipCopy(shard, nodeId, LATE_COPY)
        || !attemptPolicy.shouldHedge(first.call(), nodeId)) {
      return false;
    }
    copies.advance(shard);
    permits.acquire(nodeId);
    send(shard, nodeId, AttemptPolicy.Reason.HEDGE, false);
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
      release(loser);
    }
    release(attempt);
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
    if (isLostBeforeItBegan(attempt, failure)) {
      queued.remove(attempt);
      attempts.onFailed(attempt);
      notes(shard).recordOutcome(nodeId, ShardRoutingRecorder.Outcome.FAILED);
      tryLast(shard, nodeId);
      queryPending();
      return;
    }
    round.onFailure(shard, nodeId, failure);
    notes(shard).recordOutcome(nodeId, ShardRoutingRecorder.Outcome.FAILED);
    if (attempts.onFailed(attempt)) {
      release(attempt); // the other copy is still in flight
      return;
    }
    boolean another = false;
    while (!another && copies.advance(shard)) {
      another = !round.shouldSkipCopy(shard, copies.current(shard), failure);
    }
    boolean refused = cancellationCheck.get() != null; // then no call is sent, on whichever path
    if (another && (refused || attemptPolicy.canRetry(failure))) {
      query(shard, false);
      release(attempt);
    } else {
      isPlanStale |= round.isStale(failure);
      release(attempt);
      onShardDone();
    }
  }

  private ShardRoutingRecorder notes(int shard) {
    return shards.get(shard).notes();
  }

  /** Whether a call waited on a node that was lost: it costs no retry, as if it had waited here. */
  private boolean isLostBeforeItBegan(ShardAttempt<R> attempt, Exception failure) {
    return queued.contains(attempt)
        && failure instanceof NodeCallException sending
        && sending.isConnectionFailure()
        && cancellationCheck.get() == null
        && hasOtherCopy(attempt);
  }

  private void release(ShardAttempt<R> attempt) {
    if (!queued.remove(attempt)) {
      permits.release(attempt.nodeId());
    }
    if (queued.count(attempt.nodeId()) > 0) {
      beginQueuedSoon();
    }
    queryPending();
  }

  private void onShardDone() {
    if (--pendingShards == 0) {
      attempts.stop();
      end.accept(this);
    }
  }
}
