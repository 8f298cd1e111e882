package dev.weir.core.reduce;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.coordinate.NodeTaskBan;
import dev.weir.core.coordinate.SearchWork;
import dev.weir.core.coordinate.ShardRound;
import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.MemoryRejectionTracker;
import dev.weir.core.reduce.memory.ReduceCostClassifier;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.query.BatchedReducer;
import dev.weir.core.reduce.query.BucketwiseQueryReducer;
import dev.weir.core.reduce.query.QueryPhaseReducer;
import dev.weir.core.reduce.query.ReduceExecutor;
import dev.weir.core.reduce.query.SampledReduction;
import dev.weir.core.reduce.query.SampledShards;
import dev.weir.core.reduce.query.SinglePassReducer;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.core.reduce.response.SplicedSearchResponse.MergedResponse;
import dev.weir.core.reduce.round.BaseFetchRound;
import dev.weir.core.reduce.round.CanMatchRound;
import dev.weir.core.reduce.round.CreatePitRound;
import dev.weir.core.reduce.round.DfsQueryRound;
import dev.weir.core.reduce.round.DfsRound;
import dev.weir.core.reduce.round.DocIdList;
import dev.weir.core.reduce.round.FetchRound;
import dev.weir.core.reduce.round.ParentTaskBan;
import dev.weir.core.reduce.round.PartialReductionPlanner;
import dev.weir.core.reduce.round.QueryResults;
import dev.weir.core.reduce.round.QueryRound;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.core.reduce.round.SearchRoundContext;
import dev.weir.core.reduce.round.SearchScope;
import dev.weir.core.reduce.terms.TermsReducer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.RankedDocs;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchProgressListener;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.internal.SearchContext;

/** Carries out one search with OpenSearch's own classes. Confined to the request's event loop. */
public final class SearchExecution implements SearchWork {
  private final SearchSpec spec;
  private final ReduceServices services;
  private final SearchRoundContext parts;
  private final SearchPhaseController controller;
  private final ShardFailures failures;
  private final ShardFailures canMatchFailures;
  private final SearchResponder responder;
  private final SearchCircuitBreaker breaker;
  private final ReduceExecutor reduceExecutor;
  private final QueryResults results;
  private final @Nullable SampledReduction sampleReducer;
  private Consumer<String> unrecoverableListener = reason -> {};
  private @Nullable CanMatchRound canMatchRound;
  private @Nullable DfsRound dfsRound;
  private @Nullable CreatePitRound createPitRound;
  private @Nullable AggregatedDfs statistics;
  private @Nullable ReducedResult reduced;
  private @Nullable FetchRound fetchRound;
  private @Nullable MergedResponse merged;
  private volatile @Nullable String cancelReason;

  /**
   * Creates the execution of a search.
   *
   * @param maxBuckets the largest number of buckets in a response
   */
  public SearchExecution(
      SearchSpec spec,
      SearchScope scope,
      SearchCaller caller,
      ReduceServices services,
      int maxBuckets) {
    this.spec = spec;
    this.services = services;
    int shards = scope.shards().size();
    Map<String, String> params = spec.context().search().contentParameters();
    boolean bucketwise =
        scope.sample() == null && BucketwiseQueryReducer.canReduce(scope.request(), shards, params);
    boolean whole = scope.sample() == null && SinglePassReducer.canReduce(scope.request(), shards);
    AggregationShape shape = AggregationShape.of(scope.request().source());
    if (whole && TermsReducer.canReduce(scope.request().source())) {
      shape = shape.withNumericReduction();
    }
    this.breaker = services.createBreaker(spec.context(), shape);
    MemoryRejectionTracker broken = new MemoryRejectionTracker(breaker::describeSizes);
    broken.setListener(this::onMemoryRejected);
    this.parts = SearchRoundContext.create(scope, caller, broken);
    this.controller = services.createController(maxBuckets, breaker);
    this.failures = new ShardFailures(shards);
    this.canMatchFailures = new ShardFailures(shards);
    this.responder = new SearchResponder(spec, parts, failures);
    this.reduceExecutor =
        new ReduceExecutor(
            spec.context()::runLater,
            services.pool(),
            parts.frames(),
            ReduceCostClassifier.isProportional(scope.request().source()));
    this.results =
        new QueryResults(
            bucketwise && params != null
                ? new BucketwiseQueryReducer(
                    scope.request(),
                    new ToXContent.MapParams(params),
                    shards,
                    reducerContext(maxBuckets))
                : whole ? createReducer(maxBuckets) : createBatchedReducer(),
            parts,
            spec.context()::runLater,
            new AccountedReaderFactory(services, breaker, shape),
            PartialReductionPlanner.plan(scope, services.partialReductions()));
    SampledShards sample = scope.sample();
    this.sampleReducer =
        sample == null ? null : sample.createReduction(services.namedWriteables(), breaker);
  }

  private QueryPhaseReducer createReducer(int maxBuckets) {
    return new SinglePassReducer(
        parts.scope().request(),
        spec.isInnerSearch(),
        parts.scope().shards().size(),
        reducerContext(maxBuckets));
  }

  private SinglePassReducer.ReducerContext reducerContext(int maxBuckets) {
    return new SinglePassReducer.ReducerContext(
        controller,
        services.createReduceContexts(maxBuckets, breaker, parts.scope().request().source()),
        services.namedWriteables(),
        breaker,
        () -> cancelReason != null,
        this::onUnrecoverableFailure);
  }

  private QueryPhaseReducer createBatchedReducer() {
    return new BatchedReducer(
        new QueryPhaseResultConsumer(
            parts.scope().request(),
            reduceExecutor,
            breaker,
            controller,
            SearchProgressListener.NOOP,
            services.namedWriteables(),
            parts.scope().shards().size(),
            this::onUnrecoverableFailure,
            () -> cancelReason != null));
  }

  @Override
  public void onUnrecoverable(Consumer<String> cancel) {
    unrecoverableListener = cancel;
  }

  @Override
  public ShardRound<?> createCanMatchRound(List<Integer> ordinals) {
    CanMatchRound round = new CanMatchRound(parts, ordinals, canMatchFailures);
    canMatchRound = round;
    return round;
  }

  @Override
  public List<MatchedShard> rankShards() {
    return requireCreated(canMatchRound).rankShards();
  }

  @Override
  public ShardRound<?> createFirstRound(List<Integer> ordinals) {
    if (spec.pitKeepAlive() != null) {
      CreatePitRound round = new CreatePitRound(parts, ordinals, failures, spec.pitKeepAlive());
      createPitRound = round;
      return round;
    }
    if (request().searchType() == SearchType.DFS_QUERY_THEN_FETCH) {
      DfsRound round = new DfsRound(parts, ordinals, failures);
      dfsRound = round;
      return round;
    }
    if (sampleReducer != null) {
      sampleReducer.setQueriedShards(ordinals);
    }
    results.planFetch(
        spec.trim().shouldSkipFetch() || spec.columns() != null ? 0 : ordinals.size());
    return new QueryRound(
        parts, ordinals, failures, results, services.wallMillis(), spec.columns());
  }

  @Override
  public @Nullable NodeRound<?> createDfsQueryRound() {
    if (dfsRound == null) {
      return null;
    }
    AggregatedDfs all = controller.aggregateDfs(dfsRound.results());
    statistics = all;
    return new DfsQueryRound(parts, failures, results, dfsRound.results(), all);
  }

  @Override
  public void reduce(Consumer<@Nullable Exception> done) {
    if (parts.memoryRejections().rejection() != null) {
      done.accept(parts.memoryRejections().rejection());
    } else if (createPitRound != null) {
      done.accept(null);
    } else if (sampleReducer == null && reduceExecutor.shouldReduceOnEventLoop()) {
      done.accept(tryReduce());
    } else {
      try {
        services
            .pool()
            .execute(() -> {
              Exception failure = tryReduce();
              spec.context().runLater(() -> done.accept(failure));
            });
      } catch (RejectedExecutionException full) {
        done.accept(ReduceExecutor.createRejection(full));
      }
    }
  }

  private @Nullable Exception tryReduce() {
    try {
      reduced =
          sampleReducer == null
              ? results.reduce()
              : sampleReducer.reduce(results.reducer(), parts.scope().shards().size());
      return null;
    } catch (Exception e) {
      return e;
    } catch (Throwable e) { // for example a stack overflow; the event loop must survive it
      return new OpenSearchException(e);
    }
  }

  @Override
  public NodeRound<?> createFetchRound() {
    FetchRound round =
        new FetchRound(parts, failures, results, docsToFetch(), statistics, spec.columns());
    fetchRound = round;
    return round;
  }

  /**
   * Selects the documents to fetch. Frees the search contexts of shards from which none is fetched.
   */
  private List<BaseFetchRound.ShardDocs> docsToFetch() {
    int shards = parts.scope().shards().size();
    if (createPitRound != null || !results.fetchesSeparately()) {
      return List.of(); // no hits, or shards sent their documents with the query results
    }
    ReducedResult best = requireCreated(reduced);
    RankedDocs docs = best.docs();
    if (spec.trim().shouldSkipFetch() && docs.size() > 0) {
      spec.trim().recordSkippedFetch();
      docs = RankedDocs.EMPTY;
    }
    @Nullable List<Integer>[] wanted = DocIdList.groupByShard(shards, docs);
    boolean scrolls = request().scroll() != null;
    if (!scrolls) {
      for (int shard = 0; shard < shards; shard++) {
        if (wanted[shard] == null) {
          parts.contexts().discard(shard);
        }
      }
    }
    return BaseFetchRound.docsByShard(
        wanted, scrolls ? controller.getLastEmittedDocPerShard(best.withDocs(), shards) : null);
  }

  @Override
  public void merge() {
    Exception broken = parts.memoryRejections().rejection();
    if (broken != null) {
      responder.failFast(broken); // does nothing if the rejection has failed the search already
      throw new OpenSearchException(broken);
    }
    if (createPitRound != null) {
      merged = new MergedResponse(InternalSearchResponse.empty(), null);
      return;
    }
    try {
      MergedResponse found = mergeHits();
      merged =
          sampleReducer == null
              ? found
              : new MergedResponse(sampleReducer.applyEstimates(found.sections()), null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    parts.frames().onMerged();
  }

  private MergedResponse mergeHits() throws IOException {
    ReducedResult best = requireCreated(reduced);
    AtomicArray<? extends SearchPhaseResult> hits = results.results();
    boolean fetches = results.fetchesSeparately();
    MergedResponse inPlace =
        fetches ? requireCreated(fetchRound).mergeInPlace(best) : results.mergeInPlace(best);
    if (inPlace != null) {
      return inPlace;
    }
    if (fetches) {
      hits = requireCreated(fetchRound).results();
    }
    return new MergedResponse(
        controller.merge(request().scroll() != null, best.withDocs(), hits.asList(), hits::get),
        null);
  }

  @Override
  public boolean expandCollapsedHits(Consumer<@Nullable Exception> done) {
    InternalSearchResponse found = requireCreated(merged).sections();
    if (createPitRound != null || !CollapsedHitExpander.shouldExpand(request(), found)) {
      return false;
    }
    CollapsedHitExpander.expand(
        request(), found, breaker::reserveInnerHits, spec.multiSearch(), done);
    return true;
  }

  @Override
  public int failureCount() {
    return failures.count();
  }

  @Override
  public void recordPhaseTime(String phase, long nanos) {
    responder.recordPhaseTime(phase, nanos);
  }

  @Override
  public void reportPhaseTime(String phase, long nanos) {
    services.phaseTimes().onPhaseEnd(phase, nanos);
  }

  @Override
  public List<OpenContext> drainUnneededContexts() {
    return parts.contexts().drainDiscarded();
  }

  @Override
  public void succeed(ShardCounts counts) {
    MergedResponse found = merged;
    // the client may read objects until the request ends
    boolean lasts =
        spec.isInnerSearch() || (found != null && found.lazyHits() == null && found.hitCount() > 0);
    if (lasts) {
      spec.context().onEnd(this::releaseMemory);
    }
    try {
      responder.succeed(
          found == null ? emptyResponse() : found,
          createPitRound == null ? results.results() : createPitRound.results(),
          counts,
          sampleReducer);
    } finally {
      if (!lasts) {
        releaseMemory(); // the response is written, except for hits in frames that stay accounted
      }
    }
  }

  private MergedResponse emptyResponse() {
    boolean total =
        request().resolveTrackTotalHitsUpTo() != SearchContext.TRACK_TOTAL_HITS_DISABLED;
    return new MergedResponse(InternalSearchResponse.empty(total), null);
  }

  @Override
  public boolean hasPersistentContexts() {
    return createPitRound != null || request().scroll() != null;
  }

  @Override
  public void discardPersistentContexts() {
    parts.contexts().discardAll();
  }

  @Override
  public void fail(String phase, String message, @Nullable Throwable cause, boolean allShards) {
    release();
    boolean matching = canMatchRound != null && canMatchRound.name().equals(phase);
    if (allShards) {
      responder.failAllShards(phase, matching ? canMatchFailures : failures);
    } else {
      responder.fail(phase, message, cause, matching ? canMatchFailures : failures);
    }
  }

  @Override
  public void rejectUnassigned(boolean matching, List<Integer> ordinals) {
    release();
    String phase =
        matching ? createCanMatchRound(List.of()).name() : createFirstRound(List.of()).name();
    responder.rejectUnassigned(phase, ordinals);
  }

  /**
   * A partial reduction may still run: it keeps the frames that it reads until it has ended, and
   * the next attempt hears nothing of its failure.
   */
  @Override
  public void abandon() {
    unrecoverableListener = reason -> {};
    parts.memoryRejections().setListener(why -> {});
    cancel("another attempt replaces this one");
    release();
    reduceExecutor.runWhenIdle(parts.frames()::release);
  }

  private void release() {
    parts.contexts().discardAll();
    reduceExecutor.runWhenIdle(this::releaseMemory);
  }

  private void releaseMemory() {
    results.close();
    breaker.close();
  }

  /**
   * Memory for a response or for a reduction was refused. The search does not wait for the other
   * responses, but still receives them to free the search contexts that they opened.
   */
  private void onMemoryRejected(Exception why) {
    unrecoverableListener.accept(
        "the gateway has no memory left for the search: " + why.getMessage());
    reduceExecutor.runWhenIdle(() -> {
      parts.frames().stopRetaining(fetchRound != null);
      releaseMemory();
    });
    spec.context().runLater(() -> responder.failFast(why));
  }

  @Override
  public Exception cancellationException() {
    return ParentTaskBan.createRejection(String.valueOf(cancelReason));
  }

  @Override
  public void cancel(String reason) {
    cancelReason = reason;
  }

  @Override
  public NodeTaskBan taskBan(String nodeId) {
    return ParentTaskBan.forCaller(parts.caller().forNode(nodeId));
  }

  private void onUnrecoverableFailure(Exception failure) {
    if (failure instanceof CircuitBreakingException) {
      spec.context().runLater(() -> parts.memoryRejections().recordRejection(failure));
      return;
    }
    String message = failure.getMessage() == null ? "" : failure.getMessage();
    spec.context()
        .runLater(() -> unrecoverableListener.accept("Fatal failure during search: " + message));
  }

  private SearchRequest request() {
    return parts.scope().request();
  }

  private static <T> T requireCreated(@Nullable T made) {
    if (made == null) {
      throw new IllegalStateException(
          "got a call before its round (expected: the order of SearchWork's methods)");
    }
    return made;
  }
}
