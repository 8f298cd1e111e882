package dev.weir.core.reduce.query;

import dev.weir.core.reduce.buckets.BucketReduction;
import dev.weir.core.reduce.buckets.BucketwiseReducer;
import dev.weir.core.reduce.buckets.ReductionPlan;
import dev.weir.core.reduce.memory.ReduceCostClassifier;
import dev.weir.core.reduce.memory.ReductionWorkspace;
import dev.weir.core.reduce.query.SinglePassReducer.ReducerContext;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.core.reduce.terms.SerializedAggregationsAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * Reduces histograms, digests and sketches bucket by bucket. Until the reduction, aggregations are
 * bytes in their reply frames and cost nothing beyond these. The response is written from JSON that
 * the reduction makes, so nothing else may read it.
 */
public final class BucketwiseQueryReducer implements QueryPhaseReducer {
  private final SearchRequest request;
  private final ToXContent.Params params;
  private final ReducerContext context;
  private final AtomicArray<SearchPhaseResult> results;
  private final ReductionPlan plan;
  private final boolean changesDigests;
  private long chargedBytes;

  /**
   * Creates a reducer.
   *
   * @param params the parameters by which the response is written
   */
  public BucketwiseQueryReducer(
      SearchRequest request, ToXContent.Params params, int shards, ReducerContext context) {
    this.request = request;
    this.params = params;
    this.context = context;
    this.results = new AtomicArray<>(shards);
    this.plan = ReductionPlan.of(request.source());
    this.changesDigests = ReduceCostClassifier.canAmplifyMemory(request.source());
  }

  /**
   * Returns whether this class can reduce the results of a search.
   *
   * @param params the parameters by which the response is written as JSON; null if it is written in
   *     another way, or read
   */
  public static boolean canReduce(
      SearchRequest request, int shards, @Nullable Map<String, String> params) {
    if (params == null || shards > request.getBatchedReduceSize() || request.scroll() != null) {
      return false;
    }
    ReductionPlan plan = ReductionPlan.of(request.source());
    return plan.isSuited() && !(plan.hasHits() && isPretty(params));
  }

  /** Indented JSON is copied value by value, except for the source of hits, which stays as is. */
  private static boolean isPretty(Map<String, String> params) {
    return !"false".equals(params.getOrDefault("pretty", "false"));
  }

  @Override
  public void add(SearchPhaseResult reply, Runnable next) {
    results.set(reply.getShardIndex(), reply);
    next.run();
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
    if (context.isCancelled().getAsBoolean()) {
      TaskCancelledException terminated = new TaskCancelledException("request has been terminated");
      context.unrecoverableListener().accept(terminated);
      throw terminated;
    }
    List<SearchPhaseResult> found = new ArrayList<>(results.length());
    for (SearchPhaseResult answer : results.asList()) {
      if (!answer.queryResult().isNull()) {
        found.add(answer);
      }
    }
    InternalAggregations reduced = found.isEmpty() ? null : reduceAggregations(found);
    return SearchInternals.reduce(
        context.controller(), context.contexts(), request, found, reduced);
  }

  private InternalAggregations reduceAggregations(List<SearchPhaseResult> found) {
    List<AggregationBytes> bytes = new ArrayList<>(found.size());
    for (SearchPhaseResult answer : found) {
      AggregationBytes own =
          SerializedAggregationsAccess.extract(
              answer.queryResult().aggregations(), context.namedWriteables());
      if (!own.isEmpty()) { // otherwise its node has merged them with those of another shard
        bytes.add(own);
      }
    }
    InternalAggregations merged = bytes.isEmpty() ? null : reduceBuckets(bytes);
    return merged == null ? reduceObjects(found, bytes) : consume(found, merged);
  }

  private static InternalAggregations consume(
      List<SearchPhaseResult> found, InternalAggregations merged) {
    for (SearchPhaseResult answer : found) {
      answer.queryResult().consumeAggs();
    }
    return merged;
  }

  private @Nullable InternalAggregations reduceBuckets(List<AggregationBytes> bytes) {
    ReductionWorkspace workspace = context.breaker().createWorkspace();
    InternalAggregations merged =
        BucketwiseReducer.reduce(
            bytes,
            new BucketReduction(
                context.contexts().forFinalReduction(),
                params,
                plan,
                workspace,
                changesDigests,
                context.isCancelled()));
    if (merged == null) {
      workspace.discard();
    } else {
      workspace.retainResults();
    }
    return merged;
  }

  /** Reduces what cannot be merged bucket by bucket, as OpenSearch does. */
  private InternalAggregations reduceObjects(
      List<SearchPhaseResult> found, List<AggregationBytes> bytes) {
    long wireBytes = 0;
    for (AggregationBytes one : bytes) {
      wireBytes += one.bytes().length;
    }
    context.breaker().addPendingAggregations(wireBytes);
    chargedBytes = wireBytes;
    chargedBytes += context.breaker().startReduction(wireBytes);
    List<InternalAggregations> objects = new ArrayList<>(found.size());
    for (SearchPhaseResult answer : found) {
      objects.add(answer.queryResult().consumeAggs().expand());
    }
    InternalAggregations reduced =
        InternalAggregations.topLevelReduce(objects, context.contexts().forFinalReduction());
    long result = reduced.getSerializedSize();
    context.breaker().addWithoutBreaking(result - chargedBytes);
    chargedBytes = result;
    return reduced;
  }

  @Override
  public void close() {
    context.breaker().addWithoutBreaking(-chargedBytes);
    chargedBytes = 0;
  }
}
