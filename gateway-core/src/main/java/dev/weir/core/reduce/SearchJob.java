package dev.weir.core.reduce;

import dev.weir.core.reduce.SplicedResponse.Merged;
import dev.weir.core.reduce.sample.Sample;
import dev.weir.core.reduce.terms.TermsReduction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.BestDocs;
import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.Reduced;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchProgressListener;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContextBuilder;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.internal.SearchContext;

/** One search carried out with OpenSearch's own classes. Confined to the request's home. */
public final class SearchJob implements SearchWork {
  private final SearchAsk ask;
  private final ReduceServices services;
  private final SearchParts parts;
  private final SearchPhaseController controller;
  private final ShardFailures failures;
  private final ShardFailures matchFailures;
  private final SearchAnswer answer;
  private final RequestBreaker breaker;
  private final ReduceExecutor reducing;
  private final QueryResults results;
  private final @Nullable SampleReduction sampling;
  private Consumer<String> hopeless = reason -> {};
  private @Nullable CanMatchRound canMatch;
  private @Nullable DfsRound dfs;
  private @Nullable PitRound pit;
  private @Nullable AggregatedDfs statistics;
  private @Nullable Reduced reduced;
  private @Nullable FetchRound fetch;
  private @Nullable Merged merged;
  private volatile @Nullable String cancelReason;

  /**
   * Makes the job.
   *
   * @param maxBuckets how many buckets an answer may have
   */
  public SearchJob(
      SearchAsk ask,
      SearchScope scope,
      SearchCaller caller,
      ReduceServices services,
      int maxBuckets) {
    this.ask = ask;
    this.services = services;
    boolean whole =
        scope.sample() == null && WholeReduction.suits(scope.request(), scope.shards().size());
    AggregationShape shape = AggregationShape.of(scope.request().source());
    if (whole && TermsReduction.suits(scope.request().source())) {
      shape = shape.asNumbers();
    }
    this.breaker = services.breakerOf(ask.context(), shape);
    SearchBreak broken = new SearchBreak(breaker::lines);
    broken.onFirst(this::broke);
    this.parts = SearchParts.of(scope, caller, broken);
    this.controller = services.controller(maxBuckets, breaker);
    int shards = scope.shards().size();
    this.failures = new ShardFailures(shards);
    this.matchFailures = new ShardFailures(shards);
    this.answer = new SearchAnswer(ask, parts, failures);
    this.reducing =
        new ReduceExecutor(
            ask.context()::later,
            services.pool(),
            parts.frames(),
            ReduceCost.proportional(scope.request().source()));
    this.results =
        new QueryResults(
            whole ? reduction(maxBuckets) : batched(),
            parts,
            ask.context()::later,
            new AnswerReading(services, breaker, shape));
    Sample sample = scope.sample();
    this.sampling = sample == null ? null : new SampleReduction(sample, services, breaker);
  }

  private Reduction reduction(int maxBuckets) {
    SearchRequest request = parts.scope().request();
    int shards = parts.scope().shards().size();
    ReduceContextBuilder contexts = services.contexts(maxBuckets, breaker, request.source());
    return new WholeReduction(
        request,
        ask.inner(),
        shards,
        new WholeReduction.Means(
            controller,
            contexts,
            services.writeables(),
            breaker,
            () -> cancelReason != null,
            this::hopeless));
  }

  private Reduction batched() {
    return new BatchedReduction(
        new QueryPhaseResultConsumer(
            parts.scope().request(),
            reducing,
            breaker,
            controller,
            SearchProgressListener.NOOP,
            services.writeables(),
            parts.scope().shards().size(),
            this::hopeless,
            () -> cancelReason != null));
  }

  @Override
  public void whenHopeless(Consumer<String> cancel) {
    hopeless = cancel;
  }

  @Override
  public ShardRound<?> canMatch(List<Integer> ordinals) {
    CanMatchRound round = new CanMatchRound(parts, ordinals, matchFailures);
    canMatch = round;
    return round;
  }

  @Override
  public List<MatchedShard> matched() {
    return made(canMatch).matched();
  }

  @Override
  public ShardRound<?> first(List<Integer> ordinals) {
    if (ask.pitKeepAlive() != null) {
      PitRound round = new PitRound(parts, ordinals, failures, ask.pitKeepAlive());
      pit = round;
      return round;
    }
    if (request().searchType() == SearchType.DFS_QUERY_THEN_FETCH) {
      DfsRound round = new DfsRound(parts, ordinals, failures);
      dfs = round;
      return round;
    }
    if (sampling != null) {
      sampling.asks(ordinals);
    }
    return new QueryRound(parts, ordinals, failures, results, services.wallMillis());
  }

  @Override
  public @Nullable NodeRound<?> queryWithTerms() {
    if (dfs == null) {
      return null;
    }
    AggregatedDfs all = controller.aggregateDfs(dfs.results());
    statistics = all;
    return new DfsQueryRound(parts, failures, results, dfs.results(), all);
  }

  @Override
  public void reduce(Consumer<@Nullable Exception> done) {
    if (parts.broken().why() != null) {
      done.accept(parts.broken().why());
    } else if (pit != null) {
      done.accept(null);
    } else if (reducing.small()) {
      done.accept(tryReduce());
    } else {
      try {
        services
            .pool()
            .execute(() -> {
              Exception failure = tryReduce();
              ask.context().later(() -> done.accept(failure));
            });
      } catch (RejectedExecutionException full) {
        done.accept(ReduceExecutor.rejection(full));
      }
    }
  }

  private @Nullable Exception tryReduce() {
    try {
      reduced =
          sampling == null
              ? results.reduce()
              : sampling.reduce(results, parts.scope().shards().size());
      return null;
    } catch (Exception e) {
      return e;
    } catch (Throwable e) { // such as a stack that is too small: the thread goes on
      return new OpenSearchException(e);
    }
  }

  @Override
  public NodeRound<?> fetch() {
    FetchRound round = new FetchRound(parts, failures, results, toFetch(), statistics);
    fetch = round;
    return round;
  }

  /** What to fetch; the contexts of the shards that nothing is fetched from are done with. */
  private List<DocsRound.ShardDocs> toFetch() {
    int shards = parts.scope().shards().size();
    if (pit != null || shards == 1) {
      return List.of(); // there is nothing, or it came with the answer of the one shard
    }
    Reduced best = made(reduced);
    BestDocs docs = best.docs();
    if (ask.trim().skipsFetch() && docs.size() > 0) {
      ask.trim().counts().notFetched();
      docs = BestDocs.NONE;
    }
    @Nullable List<Integer>[] wanted = DocIds.byShard(shards, docs);
    boolean scrolls = request().scroll() != null;
    if (!scrolls) {
      for (int shard = 0; shard < shards; shard++) {
        if (wanted[shard] == null) {
          parts.contexts().discard(shard);
        }
      }
    }
    return DocsRound.wanted(
        wanted, scrolls ? controller.getLastEmittedDocPerShard(best.whole(), shards) : null);
  }

  @Override
  public void merge() {
    Exception broken = parts.broken().why();
    if (broken != null) {
      throw new OpenSearchException(broken); // not told: the search was answered by then
    }
    if (pit != null) {
      merged = new Merged(InternalSearchResponse.empty(), null);
      return;
    }
    try {
      Merged found = mergeHits();
      merged = sampling == null ? found : new Merged(sampling.applied(found.sections()), null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    parts.frames().merged();
  }

  private Merged mergeHits() throws IOException {
    Reduced best = made(reduced);
    AtomicArray<? extends SearchPhaseResult> hits = results.all();
    boolean fetches = parts.scope().shards().size() > 1;
    Merged inPlace = fetches ? made(fetch).merge(best) : results.merge(best);
    if (inPlace != null) {
      return inPlace;
    }
    if (fetches) {
      hits = made(fetch).results();
    }
    return new Merged(
        controller.merge(request().scroll() != null, best.whole(), hits.asList(), hits::get), null);
  }

  @Override
  public boolean expand(Consumer<@Nullable Exception> done) {
    InternalSearchResponse found = made(merged).sections();
    if (pit != null || !CollapsedHits.toExpand(request(), found)) {
      return false;
    }
    CollapsedHits.expand(request(), found, ask.searches(), done);
    return true;
  }

  @Override
  public int failures() {
    return failures.count();
  }

  @Override
  public void took(String phase, long nanos) {
    answer.took(phase, nanos);
  }

  @Override
  public void spent(String phase, long nanos) {
    services.times().took(phase, nanos);
  }

  @Override
  public List<OpenContext> unneeded() {
    return parts.contexts().drain();
  }

  @Override
  public void succeed(ShardCounts counts) {
    Merged found = merged;
    // the client reads objects until the end
    boolean lasts = ask.inner() || (found != null && found.unread() == null && found.hits() > 0);
    if (lasts) {
      ask.context().onEnd(this::giveBack);
    }
    try {
      answer.succeed(
          found == null ? nothing() : found,
          pit == null ? results.all() : pit.results(),
          counts,
          sampling);
    } finally {
      if (!lasts) {
        giveBack(); // the answer is written by now, but for hits in frames that are paid for
      }
    }
  }

  private Merged nothing() {
    boolean total =
        request().resolveTrackTotalHitsUpTo() != SearchContext.TRACK_TOTAL_HITS_DISABLED;
    return new Merged(InternalSearchResponse.empty(total), null);
  }

  @Override
  public boolean outlived() {
    return pit != null || request().scroll() != null;
  }

  @Override
  public void unheard() {
    parts.contexts().discardAll();
  }

  @Override
  public void fail(String phase, String message, @Nullable Throwable cause, boolean allShards) {
    release();
    boolean matching = canMatch != null && canMatch.name().equals(phase);
    if (allShards) {
      answer.failAll(phase, matching ? matchFailures : failures);
    } else {
      answer.fail(phase, message, cause, matching ? matchFailures : failures);
    }
  }

  @Override
  public void rejectMissing(boolean matching, List<Integer> ordinals) {
    release();
    String phase = matching ? canMatch(List.of()).name() : first(List.of()).name();
    answer.rejectMissing(phase, ordinals);
  }

  @Override
  public void abandon() {
    release();
    parts.frames().release();
  }

  private void release() {
    parts.contexts().discardAll();
    reducing.whenIdle(this::giveBack);
  }

  private void giveBack() {
    results.close();
    breaker.close();
  }

  /**
   * There was no room for an answer, or for reducing those that came: the others are not waited for
   * but heard, so that what they leave open is freed.
   */
  private void broke(Exception why) {
    hopeless.accept("no room in the gateway: " + why.getMessage());
    reducing.whenIdle(() -> {
      parts.frames().holdNoMore(fetch != null);
      giveBack();
    });
    ask.context().later(() -> answer.failAtOnce(why));
  }

  @Override
  public Exception cancelled() {
    return CancelTasks.refusal(String.valueOf(cancelReason));
  }

  @Override
  public void cancel(String reason) {
    cancelReason = reason;
  }

  @Override
  public NodeTasks tasks(String nodeId) {
    return CancelTasks.of(parts.caller().on(nodeId));
  }

  private void hopeless(Exception failure) {
    if (failure instanceof CircuitBreakingException) {
      ask.context().later(() -> parts.broken().broke(failure));
      return;
    }
    String message = failure.getMessage() == null ? "" : failure.getMessage();
    ask.context().later(() -> hopeless.accept("Fatal failure during search: " + message));
  }

  private SearchRequest request() {
    return parts.scope().request();
  }

  private static <T> T made(@Nullable T made) {
    if (made == null) {
      throw new IllegalStateException("got asked too early (expected: in the order of the rounds)");
    }
    return made;
  }
}
