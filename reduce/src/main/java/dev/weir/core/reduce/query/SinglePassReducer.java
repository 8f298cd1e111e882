package dev.weir.core.reduce.query;

import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.memory.ReduceCostClassifier;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.memory.ThreadAllocationMeter;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.core.reduce.terms.SelectedBuckets;
import dev.weir.core.reduce.terms.SerializedAggregationsAccess;
import dev.weir.core.reduce.terms.TermsReducer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContextBuilder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Reduces all results in a single pass, as OpenSearch does when the search has no more shards than
 * one batch. It skips two steps that a plain search does not need and that make up a quarter of the
 * work of a large aggregation: visiting all buckets for pipeline aggregations when there are none,
 * and serializing the result to measure it. Aggregations become objects, or numbers in arrays, when
 * they are reduced instead of when they arrive, and are accounted for at that time.
 */
public final class SinglePassReducer implements QueryPhaseReducer {
  /** From this size on the reducer measures a result exactly. */
  private static final long LARGE_RESPONSE_BYTES = 64 << 10;

  /**
   * Heap bytes that objects take beyond numbers, with a margin of half, for one byte on the wire.
   */
  private static final long OBJECT_OVERHEAD_RATIO = 6;

  private final SearchRequest request;
  private final boolean isInnerSearch;
  private final SearchPhaseController controller;
  private final ReduceContextBuilder contexts;
  private final NamedWriteableRegistry writeables;
  private final SearchCircuitBreaker breaker;
  private final BooleanSupplier isCancelled;
  private final Consumer<Exception> unrecoverableListener;
  private final AtomicArray<SearchPhaseResult> results;
  private final boolean hasAggregations;
  private @Nullable Exception failure;
  private long wireBytes;
  private long largestBytes;
  private long chargedBytes;

  /**
   * The services that a search's reductions use.
   *
   * @param contexts builds the reduce contexts of aggregations
   * @param isCancelled whether the client has left
   * @param unrecoverableListener gets the reason when the search cannot be answered
   */
  public record ReducerContext(
      SearchPhaseController controller,
      ReduceContextBuilder contexts,
      NamedWriteableRegistry namedWriteables,
      SearchCircuitBreaker breaker,
      BooleanSupplier isCancelled,
      Consumer<Exception> unrecoverableListener) {}

  /**
   * Creates a reducer.
   *
   * @param inner whether the search is one of several in a request, so that its response waits for
   *     the others
   */
  public SinglePassReducer(
      SearchRequest request, boolean inner, int shards, ReducerContext context) {
    this.request = request;
    this.isInnerSearch = inner;
    this.controller = context.controller();
    this.contexts = context.contexts();
    this.writeables = context.namedWriteables();
    this.breaker = context.breaker();
    this.isCancelled = context.isCancelled();
    this.unrecoverableListener = context.unrecoverableListener();
    this.results = new AtomicArray<>(shards);
    SearchSourceBuilder source = request.source();
    this.hasAggregations = source != null && source.aggregations() != null;
  }

  /** Returns whether this class can reduce the results of a search. */
  public static boolean canReduce(SearchRequest request, int shards) {
    SearchSourceBuilder source = request.source();
    return shards <= request.getBatchedReduceSize()
        && request.scroll() == null
        && ReduceCostClassifier.isProportional(source)
        && !ReduceCostClassifier.canAmplifyMemory(source); // serializing a digest changes it
  }

  @Override
  public void add(SearchPhaseResult reply, Runnable next) {
    results.set(reply.getShardIndex(), reply);
    QuerySearchResult query = reply.queryResult();
    if (failure != null) {
      query.consumeAll();
    } else if (hasAggregations && !query.isNull()) {
      reserve(query);
    }
    next.run();
  }

  private void reserve(QuerySearchResult query) {
    long bytes = serializedAggregations(query).ramBytesUsed();
    try {
      breaker.addPendingAggregations(bytes);
      wireBytes += bytes;
      largestBytes = Math.max(largestBytes, bytes);
      chargedBytes += bytes;
    } catch (RuntimeException refused) {
      failure = refused;
      unrecoverableListener.accept(refused);
    }
  }

  private DelayableWriteable.Serialized<InternalAggregations> serializedAggregations(
      QuerySearchResult query) {
    return query.aggregations().asSerialized(InternalAggregations::readFrom, writeables);
  }

  @Override
  public AtomicArray<SearchPhaseResult> results() {
    return results;
  }

  @Override
  public boolean acceptsNumericDocs() {
    return true;
  }

  @Override
  public ReducedResult reduce() throws Exception {
    if (isCancelled.getAsBoolean()) {
      TaskCancelledException terminated = new TaskCancelledException("request has been terminated");
      unrecoverableListener.accept(terminated);
      throw terminated;
    }
    if (failure != null) {
      throw failure;
    }
    List<SearchPhaseResult> found = new ArrayList<>(results.length());
    for (SearchPhaseResult answer : results.asList()) {
      if (!answer.queryResult().isNull()) {
        found.add(answer);
      }
    }
    if (!hasAggregations) {
      return SearchInternals.reduce(controller, contexts, request, found, null);
    }
    chargedBytes += breaker.startReduction(wireBytes);
    InternalAggregations reduced = found.isEmpty() ? null : reduceAggregations(found);
    long result = resultBytes(reduced);
    breaker.addWithoutBreaking(result - chargedBytes);
    chargedBytes = result;
    return SearchInternals.reduce(controller, contexts, request, found, reduced);
  }

  private InternalAggregations reduceAggregations(List<SearchPhaseResult> found) {
    InternalAggregations picked = reduceTerms(found);
    List<InternalAggregations> objects = new ArrayList<>(found.size());
    for (SearchPhaseResult answer : found) {
      DelayableWriteable<InternalAggregations> bytes = answer.queryResult().consumeAggs();
      if (picked == null) {
        objects.add(bytes.expand());
      }
    }
    return picked == null
        ? InternalAggregations.reduce(objects, contexts.forFinalReduction())
        : picked;
  }

  private @Nullable InternalAggregations reduceTerms(List<SearchPhaseResult> found) {
    if (!TermsReducer.canReduce(request.source())) {
      return null;
    }
    long before = ThreadAllocationMeter.currentThreadBytes();
    List<AggregationBytes> bytes = new ArrayList<>(found.size());
    for (SearchPhaseResult answer : found) {
      bytes.add(
          SerializedAggregationsAccess.extract(answer.queryResult().aggregations(), writeables));
    }
    InternalAggregations picked = TermsReducer.reduce(bytes, contexts.forFinalReduction());
    // nodes merge aggregations of some shards into those of others
    long filled = bytes.stream().filter(one -> !one.isEmpty()).count();
    boolean large = wireBytes / Math.max(1, filled) >= AccountedReaderFactory.LARGE_RESPONSE_BYTES;
    if (picked != null && large) {
      breaker.recordExpanded(wireBytes, ThreadAllocationMeter.currentThreadBytes() - before);
    } else if (picked == null && !large) {
      breaker.correctReservation(wireBytes * OBJECT_OVERHEAD_RATIO);
    }
    return picked;
  }

  /** Returns the bytes to account for as long as the result exists; exact for a large result. */
  private long resultBytes(@Nullable InternalAggregations reduced) {
    boolean lingers = isInnerSearch || request.source().size() != 0;
    if (!lingers || wireBytes <= LARGE_RESPONSE_BYTES || reduced == null) {
      return largestBytes;
    }
    long sum = 0;
    for (Aggregation one : reduced) {
      if (!(one instanceof InternalTerms<?, ?> terms)
          || !((Object) terms.getBuckets() instanceof SelectedBuckets picked)) {
        return reduced.getSerializedSize();
      }
      sum += picked.heapBytes();
    }
    return sum;
  }

  @Override
  public void close() {
    breaker.addWithoutBreaking(-chargedBytes);
    chargedBytes = 0;
  }
}
