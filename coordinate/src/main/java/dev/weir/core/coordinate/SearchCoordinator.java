package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.SearchWork.MatchedShard;
import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries one search through its rounds: their order, how many shards are enough, what is tried
 * again. Confined to the request's event loop.
 *
 * <p>Every call is followed to its end, also after a cancellation, so that at the end every search
 * context that shards opened was used, handed over, or freed exactly once.
 */
public final class SearchCoordinator {
  private static final String FETCH = "fetch";
  private static final String EXPAND = "expand";

  private final CoordinationServices environment;
  private final PlannableSearch search;
  private final RequestContext context;
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;

  /**
   * Cancels this search with its request; refers to it no more once it has ended, because a request
   * may have thousands.
   */
  private final DelayScheduler.CancellableAction cancelCallback;

  private final SearchAdmission admission;
  private final PhaseTimer timer;
  private final ShardOutcomes outcomes = new ShardOutcomes();
  private SearchState state = new SearchState.Preparing(false);
  private final SearchRestart restart;
  private boolean viewRefreshed;
  private boolean queryAllShards;

  private SearchCoordinator(
      CoordinationServices environment, PlannableSearch source, RequestContext context) {
    this.environment = environment;
    this.search = source;
    this.context = context;
    this.calls = new OutstandingCalls(environment, context);
    SearchCancellation cancelling = new SearchCancellation(calls, environment.scheduler());
    this.cancellation = cancelling;
    this.cancelCallback =
        new DelayScheduler.CancellableAction(
            () -> cancelling.cancel(String.valueOf(context.cancelReason())));
    this.admission = new SearchAdmission(environment.admissionGate(), calls);
    this.timer = new PhaseTimer(environment.nanoClock());
    this.restart = new SearchRestart(calls, cancelling);
  }

  /** Starts a search; the source and its work tell the client the outcome. */
  public static void start(
      CoordinationServices environment, PlannableSearch source, RequestContext context) {
    SearchCoordinator search = new SearchCoordinator(environment, source, context);
    context.onCancel(search.cancelCallback);
    search.prepare(environment.views().current());
  }

  private void prepare(ClusterView view) {
    PreparedSearch prepared;
    try {
      prepared = search.prepare(view);
    } catch (Exception e) {
      if (!viewRefreshed && search.isStaleViewFailure(e, view)) {
        refresh(view, null, () -> finish(() -> search.fail(e)));
      } else {
        finish(() -> search.fail(e));
      }
      return;
    }
    SearchAttempt attempt =
        new SearchAttempt(view, restart.withNodesLast(prepared.plan()), prepared.work());
    cancellation.setWork(attempt.work);
    cancellation.cancelAfter(prepared.cancelAfter(), prepared.cancelReason());
    PrunedSearchPlan prunedPlan = queryAllShards ? null : prepared.prunedPlan();
    if (prunedPlan == null) {
      begin(view, attempt, prepared.admissionWork());
      return;
    }
    prunedPlan
        .verifier()
        .verify(holds ->
            calls
                .executor()
                .execute(() -> {
                  if (holds) {
                    attempt.usePrunedPlan(prunedPlan);
                  }
                  begin(view, attempt, prepared.admissionWork());
                }));
  }

  private void begin(
      ClusterView view, SearchAttempt attempt, @Nullable NodeCallType admissionWork) {
    if (attempt.plan.shards().isEmpty()) {
      finish(() -> attempt.work.succeed(new ShardCounts(0, 0, 0)));
    } else if (!viewRefreshed && attempt.plan.hasShardWithoutCopies()) {
      refresh(view, attempt, () -> admit(attempt, admissionWork));
    } else {
      admit(attempt, admissionWork);
    }
  }

  private void admit(SearchAttempt attempt, @Nullable NodeCallType admissionWork) {
    if (cancellation.isCancelled()) {
      attempt.begin(attempt.plan); // fails where it would send its first call
      return;
    }
    admission.requestAdmission(
        attempt.plan,
        admissionWork,
        attempt::begin,
        refusal -> {
          attempt.release(Set.of());
          finish(() -> search.fail(refusal));
        });
  }

  /** Asks for a newer view; starts over if the cluster has changed, and goes on if it has not. */
  private void refresh(ClusterView stale, @Nullable SearchAttempt attempt, Runnable unmoved) {
    enterState(new SearchState.Refreshing());
    viewRefreshed = true;
    environment
        .views()
        .refresh(stale)
        .whenComplete((fresh, failure) ->
            calls
                .executor()
                .execute(() -> {
                  if (fresh != null) {
                    search.onViewRefreshed(fresh);
                  }
                  if (fresh == null || !search.hasClusterChanged(stale, fresh)) {
                    unmoved.run();
                    return;
                  }
                  if (attempt != null) {
                    attempt.release(Set.of());
                  }
                  enterState(new SearchState.Preparing(true));
                  prepare(fresh);
                }));
  }

  /**
   * Starts over once, away from nodes that were lost or do not respond, after it released
   * everything that the attempt holds; after a loss on the newest view.
   *
   * @return whether the search starts over
   */
  private boolean tryRestart(NodeFanOut.@Nullable NodeLoss loss, SearchAttempt attempt) {
    if (loss == null || !restart.tryStart(loss)) {
      return false;
    }
    viewRefreshed = true;
    enterState(new SearchState.Refreshing());
    attempt.release(loss.nodeIds());
    if (loss.firstCause() == null) {
      enterState(new SearchState.Preparing(true));
      prepare(environment.views().current());
    } else {
      prepareOnNextView(attempt.view);
    }
    return true;
  }

  /**
   * Starts over with all shards, because all shards of the pruned plan failed: the result of the
   * others decides between a response and a failure.
   */
  private void restartWithAllShards(SearchAttempt attempt) {
    queryAllShards = true;
    viewRefreshed = true;
    enterState(new SearchState.Refreshing());
    attempt.release(Set.of());
    admission.reset();
    prepareOnNextView(attempt.view);
  }

  private void prepareOnNextView(ClusterView seen) {
    environment
        .views()
        .refresh(seen)
        .whenComplete((fresh, failure) ->
            calls
                .executor()
                .execute(() -> {
                  enterState(new SearchState.Preparing(true));
                  prepare(fresh == null ? seen : fresh);
                }));
  }

  private void enterState(SearchState next) {
    if (!state.canTransitionTo(next)) {
      throw new IllegalStateException(
          "got " + next + " after " + state + " (expected: a state that may follow)");
    }
    state = next;
    calls.startPhase(next.phase(), next instanceof SearchState.Reducing);
  }

  private void finish(Runnable tell) {
    enterState(new SearchState.Done());
    cancellation.end();
    restart.end();
    cancelCallback.cancel();
    admission.release();
    context.response().addHeaders(calls.responseHeaders());
    tell.run();
  }

  private void freeContexts(SearchWork work) {
    List<OpenContext> unneeded = work.drainUnneededContexts();
    if (!unneeded.isEmpty()) {
      calls.sendTogether(
          () -> unneeded.forEach(open -> calls.sendFree(open.nodeId(), open.freeCall())));
    }
  }

  /** The search against one view of the cluster. */
  private final class SearchAttempt {
    private final ClusterView view;
    private final SearchWork work;
    private SearchPlan plan;
    private long startNanos;
    private PrunedSearchPlan.@Nullable Proof pruningVerifier;

    SearchAttempt(ClusterView view, SearchPlan plan, SearchWork work) {
      this.view = view;
      this.plan = plan;
      this.work = work;
    }

    void usePrunedPlan(PrunedSearchPlan prunedPlan) {
      plan = restart.withNodesLast(prunedPlan.plan());
      pruningVerifier = prunedPlan.verifier();
    }

    /** Releases the attempt, so that another can start; {@code lost} are the nodes that it lost. */
    void release(Set<String> lost) {
      work.abandon();
      freeContexts(work);
      for (PlannedShard shard : plan.shards()) {
        shard.notes().recordRestart(lost);
      }
    }

    void begin(SearchPlan admittedPlan) {
      plan = admittedPlan;
      startNanos = calls.nanoTime();
      List<PlannedShard> queried = plan.shardsToQuery();
      outcomes.setSkipped(plan.shards().size() - queried.size());
      boolean matching = plan.rules().canMatchFirst();
      if (!plan.rules().allowPartial() && plan.hasShardWithoutCopies()) {
        List<PlannedShard> missing =
            queried.stream().filter(shard -> shard.nodeIds().isEmpty()).toList();
        finish(() -> work.rejectUnassigned(matching, SearchPlan.ordinals(missing)));
      } else if (matching) {
        match(work.createCanMatchRound(SearchPlan.ordinals(queried)), queried);
      } else {
        query(work.createFirstRound(SearchPlan.ordinals(queried)), queried);
      }
    }

    private <R> void match(ShardRound<R> round, List<PlannedShard> queried) {
      ShardFanOut<R> fanOut =
          new ShardFanOut<>(
              round,
              queried,
              0,
              calls,
              cancellation::checkCancelled,
              all -> runStep(round.name(), () -> onMatched(round, all)));
      enterState(new SearchState.Matching());
      timer.startPhase();
      calls.sendTogether(fanOut::start);
      admission.releaseSoon();
    }

    private void onMatched(ShardRound<?> round, ShardFanOut<?> fanOut) {
      outcomes.recordRound(fanOut.successfulShards());
      if (!hasEnoughShards(round.name(), round.failureCount())) {
        return;
      }
      timer.endRound(round.name(), work);
      List<PlannedShard> before = new ArrayList<>(plan.shards());
      before.sort(Comparator.comparingInt(PlannedShard::ordinal));
      List<PlannedShard> reordered = new ArrayList<>(before.size());
      for (MatchedShard shard : work.rankShards()) {
        PlannedShard planned = before.get(shard.ordinal());
        reordered.add(planned.skip(shard.isSkippable()));
      }
      plan = plan.withShards(reordered);
      List<PlannedShard> queried = plan.shardsToQuery();
      outcomes.setSkipped(plan.shards().size() - queried.size());
      query(work.createFirstRound(SearchPlan.ordinals(queried)), queried);
    }

    private <R> void query(ShardRound<R> round, List<PlannedShard> queried) {
      int bound = plan.rules().maxConcurrentPerNode();
      int permits = bound < plan.shards().size() ? bound : 0;
      ShardFanOut<R> fanOut =
          new ShardFanOut<>(
              round,
              queried,
              permits,
              calls,
              cancellation::checkCancelled,
              all -> runStep(round.name(), () -> onQueried(round, all)));
      enterState(new SearchState.Querying());
      timer.startPhase();
      calls.sendTogether(permits, fanOut::start);
      admission.release();
    }

    private void onQueried(ShardRound<?> round, ShardFanOut<?> fanOut) {
      outcomes.recordRound(fanOut.successfulShards());
      if (pruningVerifier != null
          && fanOut.successfulShards() == 0
          && !cancellation.isCancelled()) {
        pruningVerifier.onPlanDiscarded();
        restartWithAllShards(this);
      } else if (fanOut.isPlanStale() && !viewRefreshed && !cancellation.isCancelled()) {
        refresh(view, this, () -> finishQuery(round.name()));
      } else {
        finishQuery(round.name());
      }
    }

    private void finishQuery(String phase) {
      if (!hasEnoughShards(phase, work.failureCount())) {
        return;
      }
      NodeRound<?> next;
      try {
        next = work.createDfsQueryRound();
      } catch (RuntimeException e) {
        fail(phase, "The phase has failed", e, false);
        return;
      }
      timer.endRound(phase, work);
      if (next == null) {
        reduce();
      } else {
        queryWithTermStatistics(next);
      }
    }

    private <R> void queryWithTermStatistics(NodeRound<R> round) {
      NodeFanOut<R> fanOut =
          new NodeFanOut<>(
              round,
              calls,
              cancellation::checkCancelled,
              all -> runStep(round.name(), () -> onQueriedWithTermStatistics(round.name(), all)));
      enterState(new SearchState.QueryingWithTermStatistics());
      timer.startPhase();
      fanOut.start(restart.stallRule(round, plan, calls.nanoTime() - startNanos));
    }

    private void onQueriedWithTermStatistics(String phase, NodeFanOut<?> fanOut) {
      if (tryRestart(fanOut.nodeLoss(), this)) {
        return;
      }
      outcomes.subtractFailed(fanOut.failedShards());
      freeContexts(work);
      if (hasEnoughShards(phase, work.failureCount())) {
        timer.endRound(phase, work);
        reduce();
      }
    }

    private void reduce() {
      enterState(new SearchState.Reducing());
      timer.startPhase();
      work.reduce(failure -> runStep(FETCH, () -> onReduced(failure)));
    }

    private void onReduced(@Nullable Exception failure) {
      timer.endReduction(work);
      if (failure == null) {
        fetch(work.createFetchRound());
      } else {
        fail(FETCH, "", failure, false);
      }
    }

    private <R> void fetch(NodeRound<R> round) {
      NodeFanOut<R> fanOut =
          new NodeFanOut<>(
              round,
              calls,
              cancellation::checkCancelled,
              all -> runStep(FETCH, () -> onFetched(all)));
      enterState(new SearchState.Fetching());
      calls.sendTogether(() -> {
        freeContexts(work);
        fanOut.start(restart.stallRule(round, plan, calls.nanoTime() - startNanos));
      });
    }

    private void onFetched(NodeFanOut<?> fanOut) {
      if (fanOut.callCount() > 0) {
        timer.reportFetch(work);
      }
      if (tryRestart(fanOut.nodeLoss(), this)) {
        return;
      }
      outcomes.subtractFailed(fanOut.failedShards());
      freeContexts(work);
      try {
        work.merge();
      } catch (Exception e) {
        fail(FETCH, "", e, false);
        return;
      }
      if (hasEnoughShards(FETCH, work.failureCount())) {
        timer.endPhase(FETCH, work);
        expand();
      }
    }

    private void expand() {
      enterState(new SearchState.Expanding());
      timer.startPhase();
      if (!work.expandCollapsedHits(failure -> runStep(EXPAND, () -> onExpanded(failure)))) {
        answer();
      }
    }

    private void onExpanded(@Nullable Exception failure) {
      timer.report(EXPAND, work);
      if (failure == null) {
        answer();
      } else {
        fail(EXPAND, "failed to expand hits", failure, false);
      }
    }

    private void answer() {
      if (!plan.rules().allowPartial() && work.failureCount() > 0) {
        fail("", "Shard failures", null, false);
        return;
      }
      timer.endPhase(EXPAND, work);
      finish(() -> work.succeed(outcomes.counts(plan.shards().size())));
      if (work.hasPersistentContexts()) {
        context.onAbandoned(() -> { // runs at once when the client has already gone
          work.discardPersistentContexts();
          freeContexts(work);
        });
      }
    }

    /** Whether enough shards succeeded to go on; fails the search otherwise. */
    private boolean hasEnoughShards(String phase, int failures) {
      ShardOutcomes.Shortfall shortfall = outcomes.shortfall(plan, failures);
      if (shortfall != null) {
        fail(phase, shortfall.message(), null, shortfall.isTotal());
      }
      return shortfall == null;
    }

    /** Runs a step; fails the search in this phase when the step throws. */
    private void runStep(String phase, Runnable step) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (state instanceof SearchState.Done) {
          throw e;
        }
        fail(phase, "", e, false);
      }
    }

    private void fail(String phase, String message, @Nullable Throwable cause, boolean allShards) {
      try {
        finish(() -> work.fail(phase, message, cause, allShards));
      } finally {
        freeContexts(work);
      }
    }
  }
}
