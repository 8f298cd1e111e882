package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.NodeRound;
import dev.weir.core.reduce.SearchWork;
import dev.weir.core.reduce.SearchWork.MatchedShard;
import dev.weir.core.reduce.SearchWork.OpenContext;
import dev.weir.core.reduce.SearchWork.ShardCounts;
import dev.weir.core.reduce.ShardRound;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries one search through its rounds: which comes when, what counts as enough, what is tried
 * again. Confined to the request's home.
 *
 * <p>Every call that was sent is heard to its end, also after a cancellation, so that at the end
 * every search context that shards opened was used up, handed on, or freed once.
 */
public final class SearchCoordinator {
  private static final String FETCH = "fetch";
  private static final String REDUCE = "reduce";
  private static final String EXPAND = "expand";

  private final Environment environment;
  private final SearchSource source;
  private final RequestContext context;
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;
  private final SearchEntrance entrance;
  private SearchState state = new SearchState.Preparing(false);
  private Set<String> avoided = Set.of();
  private boolean refreshed;
  private boolean startedOver;
  private boolean whole;
  private int successful;
  private int skipped;
  private long phaseStartNanos;
  private long fetchStartNanos;

  private SearchCoordinator(Environment environment, SearchSource source, RequestContext context) {
    this.environment = environment;
    this.source = source;
    this.context = context;
    this.calls = new OutstandingCalls(environment, context);
    this.cancellation = new SearchCancellation(calls, environment.delays());
    this.entrance = new SearchEntrance(environment.gate(), calls);
  }

  /** Starts a search; whoever waits for it hears of it through the source and its work. */
  public static void start(Environment environment, SearchSource source, RequestContext context) {
    SearchCoordinator search = new SearchCoordinator(environment, source, context);
    context.onCancel(() -> search.cancellation.cancel(String.valueOf(context.cancelReason())));
    search.prepare(environment.views().current());
  }

  private void prepare(ClusterView view) {
    PreparedSearch prepared;
    try {
      prepared = source.prepare(view);
    } catch (Exception e) {
      if (!refreshed && source.stale(e)) {
        refresh(view, null, () -> done(() -> source.fail(e)));
      } else {
        done(() -> source.fail(e));
      }
      return;
    }
    Attempt attempt = new Attempt(view, prepared.plan().avoiding(avoided), prepared.work());
    cancellation.watch(attempt.work);
    cancellation.cancelAfter(prepared.cancelAfter(), prepared.cancelReason());
    LeanPlan lean = whole ? null : prepared.lean();
    if (lean == null) {
      begin(view, attempt, prepared.asks());
      return;
    }
    lean.proof()
        .show(holds ->
            calls
                .later()
                .execute(() -> {
                  if (holds) {
                    attempt.goLean(lean);
                  }
                  begin(view, attempt, prepared.asks());
                }));
  }

  private void begin(ClusterView view, Attempt attempt, @Nullable Work asks) {
    if (attempt.plan.shards().isEmpty()) {
      done(() -> attempt.work.succeed(new ShardCounts(0, 0, 0)));
    } else if (!refreshed && attempt.plan.lacksCopies()) {
      refresh(view, attempt, () -> enter(attempt, asks));
    } else {
      enter(attempt, asks);
    }
  }

  private void enter(Attempt attempt, @Nullable Work asks) {
    entrance.enter(
        attempt.plan,
        asks,
        attempt::begin,
        refusal -> {
          attempt.giveBack(Set.of());
          done(() -> source.fail(refusal));
        });
  }

  /** Asks for a newer view; starts over when the cluster has moved, goes on when it has not. */
  private void refresh(ClusterView stale, @Nullable Attempt attempt, Runnable unmoved) {
    enter(new SearchState.Refreshing());
    refreshed = true;
    environment
        .views()
        .refresh(stale)
        .whenComplete((fresh, failure) ->
            calls
                .later()
                .execute(() -> {
                  if (fresh == null || !source.moved(stale, fresh)) {
                    unmoved.run();
                    return;
                  }
                  if (attempt != null) {
                    attempt.giveBack(Set.of());
                  }
                  enter(new SearchState.Preparing(true));
                  prepare(fresh);
                }));
  }

  /**
   * Begins once more, on the newest view and away from the nodes that were lost, after all that the
   * attempt holds was given back. Once a search, and not when nobody waits for it any more.
   *
   * @return whether it does
   */
  private boolean startOver(NodeFanOut.@Nullable Loss loss, Attempt attempt) {
    if (loss == null
        || startedOver
        || cancellation.cancelled()
        || !calls.tail().mayStartOver(loss.first())) {
      return false;
    }
    startedOver = true;
    refreshed = true;
    avoided = loss.nodeIds();
    enter(new SearchState.Refreshing());
    attempt.giveBack(avoided);
    prepareAnew(attempt.view);
    return true;
  }

  /**
   * Begins once more and asks all shards, for all of the few that were asked failed: whether the
   * others would have too decides between an answer and a failure.
   */
  private void askAll(Attempt attempt) {
    whole = true;
    refreshed = true;
    enter(new SearchState.Refreshing());
    attempt.giveBack(Set.of());
    entrance.anew();
    prepareAnew(attempt.view);
  }

  private void prepareAnew(ClusterView seen) {
    environment
        .views()
        .refresh(seen)
        .whenComplete((fresh, failure) ->
            calls
                .later()
                .execute(() -> {
                  enter(new SearchState.Preparing(true));
                  prepare(fresh == null ? seen : fresh);
                }));
  }

  private void enter(SearchState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          "got " + next + " after " + state + " (expected: a state that may follow)");
    }
    state = next;
    calls.enter(next);
  }

  private void done(Runnable tell) {
    enter(new SearchState.Done());
    cancellation.end();
    entrance.sent();
    context.addResponseHeaders(calls.responseHeaders());
    tell.run();
  }

  private void free(SearchWork work) {
    for (OpenContext open : work.unneeded()) {
      calls.sendAside(open.nodeId(), open.freeing());
    }
  }

  /** The search against one view of the cluster. */
  private final class Attempt {
    private final ClusterView view;
    private final SearchWork work;
    private SearchPlan plan;
    private LeanPlan.@Nullable Proof leanBy;

    Attempt(ClusterView view, SearchPlan plan, SearchWork work) {
      this.view = view;
      this.plan = plan;
      this.work = work;
    }

    void goLean(LeanPlan lean) {
      plan = lean.plan().avoiding(avoided);
      leanBy = lean.proof();
    }

    /** Ends it, for another one to begin; {@code lost} are the nodes that it was lost with. */
    void giveBack(Set<String> lost) {
      work.abandon();
      free(work);
      for (PlannedShard shard : plan.shards()) {
        shard.notes().startedOver(lost);
      }
    }

    void begin(SearchPlan letIn) {
      plan = letIn;
      List<PlannedShard> asked = plan.asked();
      skipped = plan.shards().size() - asked.size();
      boolean matching = plan.rules().canMatchFirst();
      if (!plan.rules().allowPartial() && plan.lacksCopies()) {
        List<PlannedShard> missing =
            asked.stream().filter(shard -> shard.nodes().isEmpty()).toList();
        done(() -> work.rejectMissing(matching, ordinals(missing)));
      } else if (matching) {
        match(work.canMatch(ordinals(asked)), asked);
      } else {
        query(work.first(ordinals(asked)), asked);
      }
    }

    private <R> void match(ShardRound<R> round, List<PlannedShard> asked) {
      ShardFanOut<R> fanOut =
          new ShardFanOut<>(
              round,
              asked,
              0,
              calls,
              cancellation::refusal,
              all -> step(round.name(), () -> matched(round, all)));
      enter(new SearchState.Matching(fanOut));
      startPhase();
      fanOut.start();
    }

    private void matched(ShardRound<?> round, ShardFanOut<?> fanOut) {
      successful = skipped + fanOut.successful();
      if (!enough(round.name(), round.failures())) {
        return;
      }
      endRound(round.name());
      List<PlannedShard> before = new ArrayList<>(plan.shards());
      before.sort(Comparator.comparingInt(PlannedShard::ordinal));
      List<PlannedShard> reordered = new ArrayList<>(before.size());
      for (MatchedShard shard : work.matched()) {
        PlannedShard planned = before.get(shard.ordinal());
        reordered.add(planned.skip(shard.skip()));
      }
      plan = plan.with(reordered);
      List<PlannedShard> asked = plan.asked();
      skipped = plan.shards().size() - asked.size();
      query(work.first(ordinals(asked)), asked);
    }

    private <R> void query(ShardRound<R> round, List<PlannedShard> asked) {
      int bound = plan.rules().maxConcurrentPerNode();
      int permits = bound < plan.shards().size() ? bound : 0;
      ShardFanOut<R> fanOut =
          new ShardFanOut<>(
              round,
              asked,
              permits,
              calls,
              cancellation::refusal,
              all -> step(round.name(), () -> queried(round, all)));
      enter(new SearchState.Querying(fanOut));
      startPhase();
      fanOut.start();
      entrance.sent();
    }

    private void queried(ShardRound<?> round, ShardFanOut<?> fanOut) {
      successful = skipped + fanOut.successful();
      if (leanBy != null
          && work.failures() > 0
          && fanOut.successful() == 0
          && !cancellation.cancelled()) {
        leanBy.dropped();
        askAll(this);
      } else if (fanOut.stale() && !refreshed && !cancellation.cancelled()) {
        refresh(view, this, () -> queriedForGood(round.name()));
      } else {
        queriedForGood(round.name());
      }
    }

    private void queriedForGood(String phase) {
      if (!enough(phase, work.failures())) {
        return;
      }
      NodeRound<?> next;
      try {
        next = work.queryWithTerms();
      } catch (RuntimeException e) {
        fail(phase, "The phase has failed", e, false);
        return;
      }
      endRound(phase);
      if (next == null) {
        reduce();
      } else {
        queryWithTerms(next);
      }
    }

    private <R> void queryWithTerms(NodeRound<R> round) {
      NodeFanOut<R> fanOut =
          new NodeFanOut<>(
              round,
              calls,
              cancellation::refusal,
              all -> step(round.name(), () -> queriedWithTerms(round.name(), all)));
      enter(new SearchState.QueryingWithTerms(fanOut));
      startPhase();
      fanOut.start();
    }

    private void queriedWithTerms(String phase, NodeFanOut<?> fanOut) {
      if (startOver(fanOut.loss(), this)) {
        return;
      }
      successful -= fanOut.lost();
      free(work);
      if (enough(phase, work.failures())) {
        endRound(phase);
        reduce();
      }
    }

    private void reduce() {
      enter(new SearchState.Reducing());
      startPhase();
      work.reduce(this::reduced);
    }

    private void reduced(@Nullable Exception failure) {
      fetchStartNanos = environment.nanoClock().getAsLong();
      work.spent(REDUCE, fetchStartNanos - phaseStartNanos);
      if (failure == null) {
        fetch(work.fetch());
      } else {
        fail(FETCH, "", failure, false);
      }
    }

    private <R> void fetch(NodeRound<R> round) {
      NodeFanOut<R> fanOut =
          new NodeFanOut<>(
              round, calls, cancellation::refusal, all -> step(FETCH, () -> fetched(all)));
      enter(new SearchState.Fetching(fanOut));
      free(work);
      fanOut.start();
    }

    private void fetched(NodeFanOut<?> fanOut) {
      if (fanOut.calls() > 0) {
        work.spent(FETCH, environment.nanoClock().getAsLong() - fetchStartNanos);
      }
      if (startOver(fanOut.loss(), this)) {
        return;
      }
      successful -= fanOut.lost();
      free(work);
      try {
        work.merge();
      } catch (Exception e) {
        fail(FETCH, "", e, false);
        return;
      }
      if (enough(FETCH, work.failures())) {
        endPhase(FETCH);
        expand();
      }
    }

    private void expand() {
      enter(new SearchState.Expanding());
      startPhase();
      boolean expanding =
          work.expand(failure -> {
            work.spent(EXPAND, environment.nanoClock().getAsLong() - phaseStartNanos);
            if (failure == null) {
              answer();
            } else {
              fail(EXPAND, "failed to expand hits", failure, false);
            }
          });
      if (!expanding) {
        answer();
      }
    }

    private void answer() {
      if (!plan.rules().allowPartial() && work.failures() > 0) {
        fail("", "Shard failures", null, false);
        return;
      }
      endPhase(EXPAND);
      done(() -> work.succeed(new ShardCounts(plan.shards().size(), successful, skipped)));
      if (work.outlived()) {
        context.onUnheard(() -> { // also when that is known by now
          work.unheard();
          free(work);
        });
      }
    }

    /** Whether what answered is enough to go on; fails the search otherwise. */
    private boolean enough(String phase, int failures) {
      int total = plan.shards().size();
      if (successful == 0) {
        fail(phase, "all shards failed", null, true);
        return false;
      }
      if (plan.rules().allowPartial() || successful == total) {
        return true;
      }
      if (failures > 0) {
        fail(phase, "Partial shards failure", null, false);
        return false;
      }
      if (!plan.rules().ignoreUnavailable()) {
        int missing = total - successful;
        fail(phase, "Partial shards failure (" + missing + " shards unavailable)", null, false);
        return false;
      }
      return true;
    }

    /** Takes a step; the search fails in this phase when the step throws before the end. */
    private void step(String phase, Runnable step) {
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
        done(() -> work.fail(phase, message, cause, allShards));
      } finally {
        free(work);
      }
    }

    private void startPhase() {
      phaseStartNanos = environment.nanoClock().getAsLong();
    }

    private void endRound(String phase) {
      endPhase(phase);
      work.spent(phase, environment.nanoClock().getAsLong() - phaseStartNanos);
    }

    private void endPhase(String phase) {
      work.took(phase, environment.nanoClock().getAsLong() - phaseStartNanos);
    }

    private static List<Integer> ordinals(List<PlannedShard> shards) {
      return shards.stream().map(PlannedShard::ordinal).toList();
    }
  }
}
