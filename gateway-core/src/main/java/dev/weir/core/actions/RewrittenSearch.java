package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSettings;
import dev.weir.cluster.IndexNameResolver.SearchTargets;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.actions.copies.OrderedCopies;
import dev.weir.core.actions.copies.PitTargetResolver;
import dev.weir.core.actions.copies.SearchCopyRanker;
import dev.weir.core.actions.copies.SearchTarget;
import dev.weir.core.actions.deadline.DeadlineTimeouts;
import dev.weir.core.actions.explain.CopyScorer;
import dev.weir.core.actions.explain.RequestRoutingDecisions;
import dev.weir.core.actions.passthrough.SearchPassThroughChecker;
import dev.weir.core.actions.prune.TimePruner;
import dev.weir.core.coordinate.PlannableSearch;
import dev.weir.core.coordinate.PreparedSearch;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.reduce.SearchExecution;
import dev.weir.core.reduce.SearchSpec;
import dev.weir.core.reduce.query.SampledShards;
import dev.weir.core.reduce.query.SearchSampling;
import dev.weir.core.reduce.round.SearchCallTypeClassifier;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.core.reduce.round.SearchScope;
import dev.weir.core.reduce.round.SearchScope.IndexFilters;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import dev.weir.model.ClientIdentity;
import dev.weir.model.Deadline;
import dev.weir.model.NodeCallType;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;

/** A search whose query was rewritten, to be planned against a view of the cluster. */
final class RewrittenSearch implements PlannableSearch {
  private final SearchActionServices setup;
  private final SearchCopyRanker copyRanker;
  private final SearchRequest request;
  private final SearchSpec spec;
  private final SearchCaller caller;
  private final SearchType requestedSearchType;
  private final boolean isSubSearch;
  private @Nullable TimeValue ownTimeout;
  private boolean hasDerivedTimeout;

  /** Prepares a search; {@code isSubSearch} is true for a part of an admitted search. */
  RewrittenSearch(
      SearchActionServices setup,
      SearchCopyRanker order,
      SearchRequest request,
      SearchSpec spec,
      SearchCaller caller,
      boolean isSubSearch) {
    this.isSubSearch = isSubSearch;
    this.setup = setup;
    this.copyRanker = order;
    this.request = request;
    this.spec = spec;
    this.caller = caller;
    this.requestedSearchType = request.searchType();
  }

  @Override
  public PreparedSearch prepare(ClusterView view) {
    SearchTarget target = findTarget(view);
    IndexFilters filters =
        new IndexFilters(
            target.aliasFilters(),
            IndexFiltersAndBoosts.indexBoosts(
                setup.names().resolver(), view, request, target.indices()),
            target.routings());
    fillDefaults(view, target.shards().size());
    setShardTimeout(view);
    TimePruner pruner = timePruner(target);
    TimePruner.SearchBounds bounds = pruner == null ? null : pruner.findBounds(view, request);
    boolean canMatch = spec.pitKeepAlive() == null && shouldRunCanMatch(view, target);
    boolean canMatchByGuess =
        !canMatch
            && bounds != null
            && request.getPreFilterShardSize() == null
            && bounds.isLikelyToPruneMost(target.shards());
    SearchPlan plan = plan(view, target, canMatch || canMatchByGuess);
    SearchExecution execution = newExecution(view, target, filters);
    TimeValue cancelAfter = cancelAfter(view.settings());
    return new PreparedSearch(
        plan,
        execution,
        cancelAfter.equals(SearchService.NO_TIMEOUT)
            ? Duration.ZERO
            : Duration.ofMillis(Math.max(1, cancelAfter.millis())),
        "Cancellation timeout of " + cancelAfter + " is expired",
        isSubSearch ? null : admissionWork(target),
        pruner == null || bounds == null
            ? null
            : pruner.prune(
                view,
                bounds,
                target.shards(),
                plan,
                canMatchByGuess,
                setup.recentDecisions().decisionsOf(spec.context(), "search")));
  }

  /** Finds what to search, and fails if the gateway or the user may not search it. */
  private SearchTarget findTarget(ClusterView view) {
    view.state().blocks().globalBlockedRaiseException(ClusterBlockLevel.READ);
    SearchTarget target =
        request.pointInTimeBuilder() == null
            ? resolveTarget(view)
            : PitTargetResolver.resolve(view, setup.registries().writeables(), request);
    requireAuthorizedIndices(target.indices());
    SearchPassThroughChecker.check(request, view, target.indices());
    failIfOverShardCountLimit(target.shards().size(), view.settings().search().shardCountLimit());
    return target;
  }

  /** What prunes the search; null if its shards are asked all the same. */
  private @Nullable TimePruner timePruner(SearchTarget target) {
    return spec.pitKeepAlive() == null && target.sample() == null && !isRestricted()
        ? setup.features().timePruner()
        : null;
  }

  private SearchExecution newExecution(
      ClusterView view, SearchTarget target, IndexFilters filters) {
    SearchScope scope =
        new SearchScope(
            request, target.shards(), filters, view.state(), target.work(), target.sample());
    if (spec.pitKeepAlive() == null && spec.context().resources().identity() == null) {
      setup.features().recentSearches().record(scope);
    }
    SearchSpec trimmed =
        spec.withTrim(
            setup
                .features()
                .trimmer()
                .narrowDocuments(spec.trim(), request, view.state(), target.indices()));
    return new SearchExecution(
        trimmed, scope, caller, setup.reduceServices(), view.settings().search().maxBuckets());
  }

  /** The indices may have changed since a node confirmed what the user may search. */
  private void requireAuthorizedIndices(List<Index> indices) {
    ClientIdentity identity = spec.context().resources().identity();
    if (identity != null && !identity.canSearch(indices.stream().map(Index::getName).toList())) {
      throw new PassThroughException(PassThroughReasons.SECURITY_DENIED);
    }
  }

  /** What the gateway learned from all documents would show in counts of skipped shards. */
  private boolean isRestricted() {
    ClientIdentity identity = spec.context().resources().identity();
    return identity != null && identity.isRestricted();
  }

  private NodeCallType admissionWork(SearchTarget target) {
    if (spec.pitKeepAlive() != null) {
      return NodeCallType.OPEN_POINT_IN_TIME;
    }
    return request.searchType() == SearchType.DFS_QUERY_THEN_FETCH
        ? NodeCallType.TERM_STATISTICS
        : target.work();
  }

  /** The target of a search that names indices. */
  private SearchTarget resolveTarget(ClusterView view) {
    OriginalIndices local = new OriginalIndices(request);
    SearchTargets found =
        setup.names().resolveSearch(view, request, local, request.getOrCreateAbsoluteStartMillis());
    SearchSampling estimates = spec.sample();
    SampledShards sample = estimates == null ? null : estimates.drawSample(indices(found.shards()));
    List<ShardTarget> targets = sample == null ? found.shards() : sample.select(found.shards());
    List<ShardScope> shards = new ArrayList<>(targets.size());
    List<OrderedCopies> copies = new ArrayList<>(targets.size());
    RequestRoutingDecisions own = setup.recentDecisions().decisionsOf(spec.context(), "search");
    if (own != null && sample != null) {
      own.recordSample(targets.size(), sample.totalShards(), sample.seed());
    }
    NodeCallType work = SearchCallTypeClassifier.perShard(request, targets.size());
    CopyScorer scorer = own == null ? null : own.newScorer(work);
    for (ShardTarget shard : targets) {
      shards.add(new ShardScope(shard.shardId(), local, null, null));
      copies.add(copyRanker.rank(view, shard, work, spec.context().resources().policy(), scorer));
    }
    return new SearchTarget(
        found.indices(),
        shards,
        copies,
        work,
        IndexFiltersAndBoosts.aliasFilters(setup, view, found),
        found.routing(),
        sample);
  }

  private static List<String> indices(List<ShardTarget> shards) {
    return shards.stream().map(shard -> shard.shardId().getIndexName()).toList();
  }

  private void fillDefaults(ClusterView view, int shards) {
    ClusterViewSettings.SearchSettings rules = view.settings().search();
    if (request.isPhaseTook() == null) {
      request.setPhaseTook(rules.features().phaseTook());
    }
    if (request.allowPartialSearchResults() == null) {
      request.allowPartialSearchResults(rules.allowPartialResults());
    }
    request.searchType(shards == 1 ? SearchType.QUERY_THEN_FETCH : requestedSearchType);
    if (request.isSuggestOnly()) {
      request.requestCache(false);
      if (request.searchType() == SearchType.DFS_QUERY_THEN_FETCH) {
        request.searchType(SearchType.QUERY_THEN_FETCH);
      }
    }
  }

  /**
   * Sets the shards' timeout so that they answer before the request's deadline, where partial
   * results are allowed.
   */
  private void setShardTimeout(ClusterView view) {
    Deadline deadline = spec.context().deadline();
    SearchSourceBuilder source = request.source();
    if (!DeadlineTimeouts.hasShardTimeout(deadline, setup.coordination().nanoClock())
        || source == null
        || !request.allowPartialSearchResults()
        || request.scroll() != null
        || spec.pitKeepAlive() != null
        || !setup.features().allowsPartialResults().test(spec.context().resources().policy())) {
      return;
    }
    if (!hasDerivedTimeout) {
      hasDerivedTimeout = true;
      ownTimeout = source.timeout();
    }
    TimeValue otherwise =
        ownTimeout == null
            ? view.settings().get(SearchService.DEFAULT_SEARCH_TIMEOUT_SETTING)
            : ownTimeout;
    long millis = DeadlineTimeouts.shardTimeoutMillis(deadline, setup.coordination().nanoClock());
    boolean nearer = otherwise.millis() < 0 || millis < otherwise.millis();
    source.timeout(nearer ? TimeValue.timeValueMillis(millis) : ownTimeout);
  }

  private boolean shouldRunCanMatch(ClusterView view, SearchTarget target) {
    String[] names = new String[target.indices().size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = target.indices().get(i).getName();
    }
    return SearchInternals.shouldRunCanMatch(view.state(), request, names, target.shards().size());
  }

  private SearchPlan plan(ClusterView view, SearchTarget target, boolean canMatch) {
    int count = target.shards().size();
    List<Boolean> skipped = FieldDomainPruner.skippedShards(view, request, target.shards());
    List<PlannedShard> shards = new ArrayList<>(count);
    for (int ordinal = 0; ordinal < count; ordinal++) {
      OrderedCopies copies = target.copies().get(ordinal);
      shards.add(
          new PlannedShard(
              ordinal,
              copies.nodeIds(),
              skipped.get(ordinal),
              copies.interchangeable(),
              copies.notes()));
    }
    return new SearchPlan(
        shards,
        new SearchPlan.SearchRules(
            request.getMaxConcurrentShardRequests(),
            request.allowPartialSearchResults(),
            request.indicesOptions().ignoreUnavailable(),
            canMatch));
  }

  private TimeValue cancelAfter(ClusterViewSettings settings) {
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
  public boolean isStaleViewFailure(Exception failure, ClusterView view) {
    boolean mayBeStale =
        failure instanceof IndexNotFoundException
            || failure instanceof IndexClosedException
            || failure instanceof ClusterBlockException;
    return mayBeStale
        && !spec.context().resources().confirmedState().covers(view.state().version());
  }

  @Override
  public void onViewRefreshed(ClusterView fresh) {
    spec.context().resources().confirmedState().confirm(fresh.state().version());
  }

  @Override
  public boolean hasClusterChanged(ClusterView stale, ClusterView fresh) {
    return stale.state().version() != fresh.state().version() || !stale.hasSameState(fresh);
  }

  @Override
  public void fail(Exception failure) {
    spec.listener().onFailure(failure);
  }
}
