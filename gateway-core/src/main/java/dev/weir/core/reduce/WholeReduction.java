package dev.weir.core.reduce;

import dev.weir.core.reduce.terms.PickedBuckets;
import dev.weir.core.reduce.terms.TermsReduction;
import dev.weir.core.reduce.terms.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.Reduced;
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
 * A reduction of all answers at once, as OpenSearch's is where there are no more shards than it
 * reduces in a batch. It leaves out what is of no use to a plain search, a quarter of the work of a
 * large aggregation: going over all buckets for aggregations of aggregations where there are none,
 * and writing the result only to see how long it is. Aggregations become objects, or numbers in
 * arrays, when they are reduced, not when they arrive, and are paid for as such then.
 */
final class WholeReduction implements Reduction {
  /** From this size on answers are counted exactly, in bytes. */
  private static final long LARGE = 64 << 10;

  /** What objects may take beyond what numbers do, with half on top, for a byte on the wire. */
  private static final long OBJECTS_BEYOND_NUMBERS = 6;

  private final SearchRequest request;
  private final boolean inner;
  private final SearchPhaseController controller;
  private final ReduceContextBuilder contexts;
  private final NamedWriteableRegistry writeables;
  private final RequestBreaker breaker;
  private final BooleanSupplier cancelled;
  private final Consumer<Exception> hopeless;
  private final AtomicArray<SearchPhaseResult> answers;
  private final boolean aggregates;
  private @Nullable Exception failure;
  private long wireBytes;
  private long largestBytes;
  private long charged;

  /**
   * What a search's reductions take.
   *
   * @param contexts what reductions of aggregations go by
   * @param cancelled whether nobody waits any more
   * @param hopeless hears why there will be no answer
   */
  record Means(
      SearchPhaseController controller,
      ReduceContextBuilder contexts,
      NamedWriteableRegistry writeables,
      RequestBreaker breaker,
      BooleanSupplier cancelled,
      Consumer<Exception> hopeless) {}

  /**
   * Makes one.
   *
   * @param inner whether the search is a part of a request, and its answer waits for others
   */
  WholeReduction(SearchRequest request, boolean inner, int shards, Means means) {
    this.request = request;
    this.inner = inner;
    this.controller = means.controller();
    this.contexts = means.contexts();
    this.writeables = means.writeables();
    this.breaker = means.breaker();
    this.cancelled = means.cancelled();
    this.hopeless = means.hopeless();
    this.answers = new AtomicArray<>(shards);
    SearchSourceBuilder source = request.source();
    this.aggregates = source != null && source.aggregations() != null;
  }

  /** Whether the answers to a search can be reduced so. */
  static boolean suits(SearchRequest request, int shards) {
    SearchSourceBuilder source = request.source();
    return shards <= request.getBatchedReduceSize()
        && request.scroll() == null
        && ReduceCost.proportional(source)
        && !ReduceCost.swells(source); // writing a digest changes it
  }

  @Override
  public void take(SearchPhaseResult reply, Runnable next) {
    answers.set(reply.getShardIndex(), reply);
    QuerySearchResult query = reply.queryResult();
    if (failure != null) {
      query.consumeAll();
    } else if (aggregates && !query.isNull()) {
      pay(query);
    }
    next.run();
  }

  private void pay(QuerySearchResult query) {
    long bytes = serialized(query).ramBytesUsed();
    try {
      breaker.arrived(bytes);
      wireBytes += bytes;
      largestBytes = Math.max(largestBytes, bytes);
      charged += bytes;
    } catch (RuntimeException refused) {
      failure = refused;
      hopeless.accept(refused);
    }
  }

  private DelayableWriteable.Serialized<InternalAggregations> serialized(QuerySearchResult query) {
    return query.aggregations().asSerialized(InternalAggregations::readFrom, writeables);
  }

  @Override
  public AtomicArray<SearchPhaseResult> all() {
    return answers;
  }

  @Override
  public boolean takesNumbers() {
    return true;
  }

  @Override
  public Reduced reduce() throws Exception {
    if (cancelled.getAsBoolean()) {
      TaskCancelledException terminated = new TaskCancelledException("request has been terminated");
      hopeless.accept(terminated);
      throw terminated;
    }
    if (failure != null) {
      throw failure;
    }
    List<SearchPhaseResult> found = new ArrayList<>(answers.length());
    for (SearchPhaseResult answer : answers.asList()) {
      if (!answer.queryResult().isNull()) {
        found.add(answer);
      }
    }
    if (!aggregates) {
      return SearchInternals.reduce(controller, contexts, request, found, null);
    }
    charged += breaker.reducing(wireBytes);
    InternalAggregations reduced = found.isEmpty() ? null : reduceAggregations(found);
    long result = resultBytes(reduced);
    breaker.addWithoutBreaking(result - charged);
    charged = result;
    return SearchInternals.reduce(controller, contexts, request, found, reduced);
  }

  private InternalAggregations reduceAggregations(List<SearchPhaseResult> found) {
    InternalAggregations picked = pickTerms(found);
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

  private @Nullable InternalAggregations pickTerms(List<SearchPhaseResult> found) {
    if (!TermsReduction.suits(request.source())) {
      return null;
    }
    long before = AllocatedBytes.now();
    List<Window> bytes = new ArrayList<>(found.size());
    for (SearchPhaseResult answer : found) {
      bytes.add(SerializedAggregations.of(answer.queryResult().aggregations(), writeables));
    }
    InternalAggregations picked = TermsReduction.reduce(bytes, contexts.forFinalReduction());
    boolean large = wireBytes / Math.max(1, found.size()) >= AnswerReading.LARGE;
    if (picked != null && large) {
      breaker.expanded(wireBytes, AllocatedBytes.now() - before);
    } else if (picked == null && !large) {
      breaker.expanding(wireBytes * OBJECTS_BEYOND_NUMBERS);
    }
    return picked;
  }

  /** The result is paid for as long as it is there: exactly where that may be long. */
  private long resultBytes(@Nullable InternalAggregations reduced) {
    boolean lingers = inner || request.source().size() != 0;
    if (!lingers || wireBytes <= LARGE || reduced == null) {
      return largestBytes;
    }
    long sum = 0;
    for (Aggregation one : reduced) {
      if (!(one instanceof InternalTerms<?, ?> terms)
          || !((Object) terms.getBuckets() instanceof PickedBuckets picked)) {
        return reduced.getSerializedSize();
      }
      sum += picked.heapBytes();
    }
    return sum;
  }

  @Override
  public void close() {
    breaker.addWithoutBreaking(-charged);
    charged = 0;
  }
}
