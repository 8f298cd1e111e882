package dev.weir.core.actions;

import dev.weir.core.actions.explain.RequestChoices;
import dev.weir.core.actions.explain.Weighing;
import dev.weir.core.actions.prune.TimePruning;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNames.SearchTargets;
import dev.weir.cluster.ShardTarget;
import dev.weir.cluster.ViewSettings;
import dev.weir.core.coordinate.PreparedSearch;
import dev.weir.core.coordinate.SearchSource;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.QueryWork;
import dev.weir.core.reduce.SearchAsk;
import dev.weir.core.reduce.SearchCaller;
import dev.weir.core.reduce.SearchJob;
import dev.weir.core.reduce.SearchScope;
import dev.weir.core.reduce.SearchScope.IndexFilters;
import dev.weir.core.reduce.SearchScope.ShardScope;
import dev.weir.core.reduce.sample.Sample;
import dev.weir.core.reduce.sample.SampleAsk;
import dev.weir.model.Deadline;
import dev.weir.model.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;

/** A search whose query was rewritten, to be planned against a view of the cluster. */
final class SearchPreparation implements SearchSource {
  private final SearchSetup setup;
  private final SearchCopies order;
  private final SearchRequest request;
  private final SearchAsk ask;
  private final SearchCaller caller;
  private final SearchType wanted;
  private final boolean part;
  private @Nullable TimeValue ownTimeout;
  private boolean timed;

  /** Prepares a search; {@code part} for one that is a part of another that was let in. */
  SearchPreparation(
      SearchSetup setup,
      SearchCopies order,
      SearchRequest request,
      SearchAsk ask,
      SearchCaller caller,
      boolean part) {
    this.part = part;
    this.setup = setup;
    this.order = order;
    this.request = request;
    this.ask = ask;
    this.caller = caller;
    this.wanted = request.searchType();
  }

  @Override
  public PreparedSearch prepare(ClusterView view) {
    ClusterState state = view.state();
    state.blocks().globalBlockedRaiseException(ClusterBlockLevel.READ);
    SearchTarget target =
        request.pointInTimeBuilder() == null
            ? named(view)
            : SearchPit.target(view, setup.registries().writeables(), request);
    SearchPassThrough.check(request, view, target.indices());
    SearchScripts.require(view, request);
    int shards = target.shards().size();
    failIfOverShardCountLimit(shards, view.settings().search().shardCountLimit());
    IndexFilters filters =
        new IndexFilters(
            target.aliasFilters(),
            SearchFilters.boosts(setup.names(), view, request),
            target.routings());
    fillDefaults(view, shards);
    timeShards(view);
    TimePruning pruning =
        ask.pitKeepAlive() == null && target.sample() == null ? setup.pruning() : null;
    TimePruning.Look look = pruning == null ? null : pruning.look(view, request);
    SearchPlan plan = plan(view, target, look);
    SearchScope scope = new SearchScope(request, target.shards(), filters, state, target.sample());
    SearchAsk trimmed =
        ask.trimmedBy(
            setup.trimming().narrowDocuments(ask.trim(), request, state, target.indices()));
    SearchJob job =
        new SearchJob(
            trimmed, scope, caller, setup.reductions(), view.settings().search().maxBuckets());
    TimeValue cancelAfter = cancelAfter(view.settings());
    return new PreparedSearch(
        plan,
        job,
        cancelAfter.equals(SearchService.NO_TIMEOUT)
            ? Duration.ZERO
            : Duration.ofMillis(Math.max(1, cancelAfter.millis())),
        "Cancellation timeout of " + cancelAfter + " is expired",
        part ? null : asks(shards),
        pruning == null || look == null
            ? null
            : pruning.lean(
                view, look, target.shards(), plan, setup.recent().of(ask.context(), "search")));
  }

  private Work asks(int shards) {
    if (ask.pitKeepAlive() != null) {
      return Work.OPENING;
    }
    return request.searchType() == SearchType.DFS_QUERY_THEN_FETCH
        ? Work.TERM_STATISTICS
        : QueryWork.of(request, shards);
  }

  /** What a search goes to that names indices. */
  private SearchTarget named(ClusterView view) {
    OriginalIndices local = new OriginalIndices(request);
    SearchTargets found =
        setup.names().search(view, request, local, request.getOrCreateAbsoluteStartMillis());
    SampleAsk estimates = ask.sample();
    Sample sample = estimates == null ? null : estimates.draw(indices(found.shards()));
    List<ShardTarget> targets = sample == null ? found.shards() : sample.of(found.shards());
    List<ShardScope> shards = new ArrayList<>(targets.size());
    List<OrderedCopies> copies = new ArrayList<>(targets.size());
    RequestChoices own = setup.recent().of(ask.context(), "search");
    if (own != null && sample != null) {
      own.sampled(targets.size(), sample.all(), sample.seed());
    }
    Work work = QueryWork.of(request, targets.size());
    Weighing weighing = own == null ? null : own.weighing(work);
    for (ShardTarget shard : targets) {
      shards.add(new ShardScope(shard.shardId(), local, null, null));
      copies.add(order.order(view, shard, work, ask.context().policy(), weighing));
    }
    return new SearchTarget(
        found.indices(),
        shards,
        copies,
        SearchFilters.aliases(setup, view, request, found.indices()),
        found.routing(),
        sample);
  }

  private static List<String> indices(List<ShardTarget> shards) {
    return shards.stream().map(shard -> shard.shardId().getIndexName()).toList();
  }

  private void fillDefaults(ClusterView view, int shards) {
    ViewSettings.SearchRules rules = view.settings().search();
    if (request.isPhaseTook() == null) {
      request.setPhaseTook(rules.features().phaseTook());
    }
    if (request.allowPartialSearchResults() == null) {
      request.allowPartialSearchResults(rules.allowPartialResults());
    }
    request.searchType(shards == 1 ? SearchType.QUERY_THEN_FETCH : wanted);
    if (request.isSuggestOnly()) {
      request.requestCache(false);
      if (request.searchType() == SearchType.DFS_QUERY_THEN_FETCH) {
        request.searchType(SearchType.QUERY_THEN_FETCH);
      }
    }
  }

  /**
   * Gives shards so little time that they answer before the request's deadline passes, where an
   * answer may be a part.
   */
  private void timeShards(ClusterView view) {
    Deadline deadline = ask.context().deadline();
    SearchSourceBuilder source = request.source();
    if (!deadline.exists()
        || source == null
        || !request.allowPartialSearchResults()
        || request.scroll() != null
        || ask.pitKeepAlive() != null
        || !setup.partialResults().test(ask.context().policy())) {
      return;
    }
    if (!timed) {
      timed = true;
      ownTimeout = source.timeout();
    }
    TimeValue otherwise =
        ownTimeout == null
            ? view.settings().get(SearchService.DEFAULT_SEARCH_TIMEOUT_SETTING)
            : ownTimeout;
    long millis = TimeLeft.shardsMillis(deadline, setup.environment().nanoClock());
    boolean nearer = otherwise.millis() < 0 || millis < otherwise.millis();
    source.timeout(nearer ? TimeValue.timeValueMillis(millis) : ownTimeout);
  }

  private SearchPlan plan(ClusterView view, SearchTarget target, TimePruning.@Nullable Look look) {
    String[] names = target.indices().stream().map(Index::getName).toArray(String[]::new);
    int count = target.shards().size();
    boolean canMatch =
        ask.pitKeepAlive() == null
            && (SearchInternals.asksCanMatch(view.state(), request, names, count)
                || (look != null
                    && request.getPreFilterShardSize() == null
                    && look.likelyMost(target.shards())));
    List<Boolean> skipped = SearchPruning.skipped(view, request, target.shards());
    List<PlannedShard> shards = new ArrayList<>(count);
    for (int ordinal = 0; ordinal < count; ordinal++) {
      OrderedCopies copies = target.copies().get(ordinal);
      shards.add(
          new PlannedShard(
              ordinal, copies.nodes(), skipped.get(ordinal), copies.free(), copies.notes()));
    }
    return new SearchPlan(
        shards,
        new SearchPlan.SearchRules(
            request.getMaxConcurrentShardRequests(),
            request.allowPartialSearchResults(),
            request.indicesOptions().ignoreUnavailable(),
            canMatch));
  }

  private TimeValue cancelAfter(ViewSettings settings) {
    TimeValue own = request.getCancelAfterTimeInterval();
    return own == null ? settings.search().cancelAfter() : own;
  }

  private static void failIfOverShardCountLimit(int shards, long limit) {
    if (shards > limit) {
      throw new IllegalArgumentException(
          "Trying to query "
              + shards
              + " shards, which is over the limit of "
              + limit
              + ". This limit exists because querying many shards at the same time can make the "
              + "job of the coordinating node very CPU and/or memory intensive. It is usually a"
              + " better idea to have a smaller number of larger shards. Update"
              + " [action.search.shard_count.limit] to a greater value if you really want to query"
              + " that many shards at the same time.");
    }
  }

  @Override
  public boolean stale(Exception failure) {
    return failure instanceof IndexNotFoundException
        || failure instanceof IndexClosedException
        || failure instanceof ClusterBlockException;
  }

  @Override
  public boolean moved(ClusterView stale, ClusterView fresh) {
    return stale.state().version() != fresh.state().version()
        || !stale.state().stateUUID().equals(fresh.state().stateUUID());
  }

  @Override
  public void fail(Exception failure) {
    ask.listener().onFailure(failure);
  }
}
