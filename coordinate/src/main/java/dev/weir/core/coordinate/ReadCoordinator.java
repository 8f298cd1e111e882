package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads from one shard: tries its copies in order until one answers, and hedges when a copy is
 * late; then the first reply counts and the other call is forgotten. When all copies failed because
 * the view of the cluster was stale, it reads the view again and tries the new copies, once. Of
 * several failures the client gets the last one that says more than that a copy is missing, as from
 * a node.
 *
 * <pre>
 *   Planning --Copies--> QueryingCopies(0)
 *   QueryingCopies(0) --failure--> QueryingCopies(1) .. --exhausted--> Refreshing, once
 *   Planning --Unavailable--> Refreshing, once --> Planning
 *   QueryingCopies --late--> QueryingCopies(0, 1) --reply--> Done
 * </pre>
 *
 * Confined to the request's event loop.
 */
public final class ReadCoordinator<R> {
  private final CoordinationServices environment;
  private final RequestContext context;
  private final ReadWork<R> work;
  private final AttemptPolicy attemptPolicy;
  private State state = new Planning();

  /** Cancels the timer of the wait for the best copies; later, that of the next hedge check. */
  private Runnable timerCanceller = () -> {};

  private @Nullable Exception lastFailure;
  private boolean nodeUnreachable;
  private boolean viewRefreshed;
  private boolean admissionRequested;

  private interface State {}

  private record Planning() implements State {}

  /** Tries the copies in order, at most two at a time. */
  private final class QueryingCopies implements State {
    private final ClusterView view;
    private final List<ShardCopy> copies;
    private final ShardRoutingRecorder notes;
    private final List<CopyAttempt> attemptsInFlight = new ArrayList<>(2);
    private int triedCopies;

    QueryingCopies(ClusterView view, List<ShardCopy> copies, ShardRoutingRecorder notes) {
      this.notes = notes;
      this.view = view;
      this.copies = copies;
    }

    /** The same state with the copy on this node first. */
    QueryingCopies withNodeFirst(String nodeId) {
      if (copies.getFirst().nodeId().equals(nodeId)) {
        return this;
      }
      List<ShardCopy> moved = new ArrayList<>(copies);
      for (ShardCopy copy : copies) {
        if (copy.nodeId().equals(nodeId)) {
          moved.remove(copy);
          moved.addFirst(copy);
        }
      }
      return new QueryingCopies(view, moved, notes);
    }
  }

  private record Refreshing() implements State {}

  private record Done() implements State {}

  /** Coordinates one read. */
  public ReadCoordinator(
      CoordinationServices environment, RequestContext context, ReadWork<R> work) {
    this.environment = environment;
    this.context = context;
    this.work = work;
    this.attemptPolicy = environment.attemptPolicies().forPolicy(context.resources().policy());
  }

  /**
   * Starts the read. Calls one of {@code onReply}, {@code onCopiesExhausted} and {@code onFailure}
   * of the work, once, unless the request is cancelled before.
   */
  public void start() {
    plan(environment.views().current());
  }

  private void plan(ClusterView view) {
    state = new Planning();
    switch (work.plan(view)) {
      case ReadPlan.Copies(
              List<ShardCopy> copies,
              List<ShardCopy> free,
              ShardRoutingRecorder notes) ->
          requestAdmission(new QueryingCopies(view, copies, notes), free);
      case ReadPlan.Unavailable(Exception reason) -> {
        if (viewRefreshed) {
          fail(reason);
        } else {
          refresh(view);
        }
      }
      case ReadPlan.Rejected(Exception reason) -> fail(reason);
    }
  }

  /**
   * Asks for admission, the first time; an admitted read goes to a copy whose node has capacity.
   */
  private void requestAdmission(QueryingCopies asking, List<ShardCopy> free) {
    if (admissionRequested || asking.copies.isEmpty()) {
      admissionRequested = true;
      queryBest(asking, free, true);
      return;
    }
    admissionRequested = true;
    if (environment
        .admissionGate()
        .canAdmitImmediately(work.work(), asking.copies.getFirst().nodeId(), 1, context)) {
      queryCopyWithCapacity(AdmissionGate.ADMITTED, asking, free, true);
      return;
    }
    state = asking;
    List<ShardCopy> best =
        free.size() > 1
            ? selector().waitableCopies(free, work.work().phase())
            : List.of(asking.copies.getFirst());
    AdmissionGate.AdmissionHandle entry =
        environment
            .admissionGate()
            .requestAdmission(
                new AdmissionGate.AdmissionRequest(List.of(nodeIds(best)), work.work()),
                context,
                decided -> onAdmission(decided, asking, free, false));
    if (!entry.isWaiting()) {
      onAdmission(entry, asking, free, true);
      return;
    }
    if (best.size() < free.size()) {
      widenAfter(SearchAdmission.MAX_WAIT_FOR_BEST, entry, best, free);
    }
    context.onCancel(() -> {
      timerCanceller.run();
      entry.release();
    });
  }

  private static List<String> nodeIds(List<ShardCopy> copies) {
    return copies.stream().map(ShardCopy::nodeId).toList();
  }

  private ReplicaSelector selector() {
    return environment.selector().forPolicy(context.resources().policy());
  }

  private boolean canAnswer(ShardCopy copy) {
    return selector().canAnswer(copy, work.work().phase());
  }

  /**
   * Lets a read that waits for the best of its copies wait for more: those that can answer then.
   */
  private void widenAfter(
      Duration delay,
      AdmissionGate.AdmissionHandle entry,
      List<ShardCopy> best,
      List<ShardCopy> all) {
    Runnable widen =
        () -> {
          List<ShardCopy> widened = SearchAdmission.widened(best, all, this::canAnswer);
          if (widened.size() < all.size()) {
            widenAfter(delay.multipliedBy(2), entry, best, all);
          }
          entry.widen(List.of(nodeIds(widened)));
        };
    timerCanceller =
        environment
            .scheduler()
            .scheduleCancellable(delay, context.eventLoop(), () -> context.run(widen));
  }

  private void onAdmission(
      AdmissionGate.AdmissionHandle entry,
      QueryingCopies asking,
      List<ShardCopy> free,
      boolean isFreshlyRanked) {
    timerCanceller.run();
    Exception refusal = entry.rejection();
    try {
      if (context.cancelReason() != null || state != asking) {
        return;
      }
      if (refusal == null) {
        queryCopyWithCapacity(entry, asking, free, isFreshlyRanked);
      } else {
        fail(refusal);
      }
    } finally {
      entry.release();
    }
  }

  /**
   * Queries the best of the equally good copies whose nodes have capacity. A node that has failed
   * while the read waited has capacity for that reason.
   *
   * @param isFreshlyRanked whether the read has not waited since they were ranked
   */
  private void queryCopyWithCapacity(
      AdmissionGate.AdmissionHandle entry,
      QueryingCopies asking,
      List<ShardCopy> free,
      boolean isFreshlyRanked) {
    List<ShardCopy> preferred = new ArrayList<>(free.size());
    if (free.size() > 1) {
      free.stream()
          .filter(copy -> hasCapacity(entry, copy.nodeId()))
          .filter(copy -> isFreshlyRanked || canAnswer(copy))
          .forEach(preferred::add);
    }
    if (preferred.isEmpty()) {
      queryBest(asking, free, isFreshlyRanked);
    } else {
      queryBest(asking.withNodeFirst(preferred.getFirst().nodeId()), preferred, isFreshlyRanked);
    }
  }

  /** Whether a node has capacity, or is full because some is reserved for this read. */
  private boolean hasCapacity(AdmissionGate.AdmissionHandle entry, String nodeId) {
    return entry.isReservedOn(nodeId)
        || environment.admissionGate().hasCapacity(work.work(), nodeId, context);
  }

  /** Queries the best of the equally good copies first. */
  private void queryBest(QueryingCopies asking, List<ShardCopy> free, boolean isFreshlyRanked) {
    if (free.size() < 2) {
      ask(asking, 0);
      return;
    }
    NodeCallType type = work.work();
    ShardCopy best =
        selector().selectForSend(free, type.phase(), type.costClass(), isFreshlyRanked);
    ask(asking.withNodeFirst(best.nodeId()), 0);
  }

  private void ask(QueryingCopies asking, int at) {
    state = asking;
    if (at < asking.copies.size()) {
      AttemptPolicy.Reason first =
          asking.copies.size() == 1 ? AttemptPolicy.Reason.ONLY_COPY : AttemptPolicy.Reason.BEST;
      CopyAttempt attempt = new CopyAttempt(asking, at, false);
      attempt.send(at == 0 ? first : AttemptPolicy.Reason.RETRY);
      if (attemptPolicy.isHedgingEnabled()) {
        long after = attemptPolicy.hedgeDelayNanos(attempt.call());
        if (after >= 0 && at + 1 < asking.copies.size()) {
          scheduleHedgeCheck(attempt, after);
        }
      }
    } else if (!viewRefreshed && isViewPossiblyStale()) {
      refresh(asking.view);
    } else {
      end();
      work.onCopiesExhausted(lastFailure);
    }
  }

  /** Replaces the check of an earlier attempt, which has failed. */
  private void scheduleHedgeCheck(CopyAttempt first, long afterNanos) {
    timerCanceller.run();
    timerCanceller =
        environment
            .scheduler()
            .scheduleCancellable(
                Duration.ofNanos(Math.max(1, afterNanos)),
                context.eventLoop(),
                () -> context.run(() -> checkHedge(first, afterNanos)));
  }

  /** Ends the read. A timer left behind would keep the request and its response in memory. */
  private void end() {
    state = new Done();
    timerCanceller.run();
  }

  /** Hedges the read, if only the first attempt is in flight and a second is worth it. */
  private void checkHedge(CopyAttempt first, long waitedNanos) {
    if (context.cancelReason() != null
        || state != first.copies
        || first.copies.attemptsInFlight.size() != 1
        || first.copies.attemptsInFlight.getFirst() != first) {
      return;
    }
    CopyAttempt second = new CopyAttempt(first.copies, first.copyIndex + 1, true);
    if (attemptPolicy.shouldHedge(first.call(), second.nodeId())) {
      second.send(AttemptPolicy.Reason.HEDGE);
      return;
    }
    long again = attemptPolicy.nextHedgeCheckNanos(first.call(), waitedNanos);
    if (again >= 0) {
      scheduleHedgeCheck(first, again);
    }
  }

  private void fail(Exception reason) {
    end();
    work.onFailure(reason);
  }

  private boolean isViewPossiblyStale() {
    return nodeUnreachable || lastFailure == null || work.isCopyMissing(lastFailure);
  }

  private void refresh(ClusterView view) {
    viewRefreshed = true;
    lastFailure = null;
    state = new Refreshing();
    environment
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                plan(now);
              }
            },
            context::runLater);
  }

  private final class CopyAttempt implements ReplyHandler<R> {
    private final QueryingCopies copies;
    private final int copyIndex;
    private final boolean isHedge;
    private @Nullable PendingCall call;

    CopyAttempt(QueryingCopies asking, int at, boolean second) {
      this.copies = asking;
      this.copyIndex = at;
      this.isHedge = second;
    }

    String nodeId() {
      return copies.copies.get(copyIndex).nodeId();
    }

    PendingCall call() {
      PendingCall sent = call;
      return sent == null ? () -> false : sent;
    }

    void send(AttemptPolicy.Reason reason) {
      copies.attemptsInFlight.add(this);
      copies.triedCopies = copyIndex;
      call = environment.sender().send(nodeId(), work.work(), work.call(), context, null, this);
      ShardRoutingRecorder.Reason known = attemptPolicy.recordAttempt(call(), nodeId(), reason);
      copies.notes.recordAttempt("get", nodeId(), known);
    }

    @Override
    public void onReply(R reply, ReplyFrame frame) {
      if (state != copies) {
        return;
      }
      end();
      PendingCall first = copies.attemptsInFlight.getFirst().call();
      if (attemptPolicy.isHedgingEnabled()) {
        attemptPolicy.recordAnswer(first);
      }
      copies.attemptsInFlight.remove(this);
      copies.notes.recordOutcome(nodeId(), ShardRoutingRecorder.Outcome.ANSWERED);
      if (isHedge) {
        attemptPolicy.recordHedgeWin(first);
      }
      for (CopyAttempt loser : copies.attemptsInFlight) {
        loser.call().abandon();
        copies.notes.recordOutcome(loser.nodeId(), ShardRoutingRecorder.Outcome.SUPERSEDED);
        if (loser.isHedge) {
          attemptPolicy.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.LOST);
        }
      }
      work.onReply(reply, frame);
    }

    @Override
    public void onFailure(NodeCallException failure) {
      if (state != copies) {
        return;
      }
      copies.attemptsInFlight.remove(this);
      copies.notes.recordOutcome(nodeId(), ShardRoutingRecorder.Outcome.FAILED);
      if (isHedge) {
        attemptPolicy.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.FAILED);
      }
      environment.views().onShardFailure(failure);
      Exception reason = failure.exception();
      nodeUnreachable |= failure.isConnectionFailure();
      if (lastFailure == null || !work.isCopyMissing(reason)) {
        lastFailure = reason;
      }
      if (!copies.attemptsInFlight.isEmpty()) {
        return; // the other copy is still in flight
      }
      int next = copies.triedCopies + 1;
      if (next < copies.copies.size() && !attemptPolicy.canRetry(failure)) {
        end();
        work.onCopiesExhausted(lastFailure);
      } else {
        ask(copies, next);
      }
    }
  }
}
