package dev.weir.core.reduce.memory;

import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.core.coordinate.batch.PartialReductionSupport;
import dev.weir.model.RequestContext;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.indices.breaker.HierarchyCircuitBreakerService;
import org.opensearch.script.ScriptService;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContextBuilder;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The services that reductions need from OpenSearch. Safe on any thread.
 *
 * @param registries read named payloads
 * @param breaker stops reductions that would take too much memory
 * @param pool runs large reductions; may reject them when it is full
 * @param phaseTimes receives the durations of search phases
 * @param wallMillis the wall clock that nodes exchange, milliseconds since the epoch
 * @param costs learns how much heap results take as objects
 * @param partialReductions what nodes can leave out of the results of shards
 */
public record ReduceServices(
    OpenSearchRegistries registries,
    CircuitBreaker breaker,
    Executor pool,
    PhaseTimeListener phaseTimes,
    LongSupplier wallMillis,
    HeapBytesEstimator costs,
    PartialReductionSupport partialReductions) {
  /** Fails on every script. Searches with scripts in their reductions pass through to a node. */
  private static final ScriptService NO_SCRIPTS =
      new ScriptService(Settings.EMPTY, Map.of(), Map.of());

  /** Services without timing of phases. */
  public ReduceServices(OpenSearchRegistries registries, CircuitBreaker breaker, Executor pool) {
    this(
        registries,
        breaker,
        pool,
        PhaseTimeListener.NOOP,
        System::currentTimeMillis,
        new HeapBytesEstimator(),
        PartialReductionSupport.none());
  }

  /**
   * Creates services with a node's own circuit breaker. The breaker checks the real use of the
   * heap, because a reduction may grow far beyond what it accounts for, for example by empty
   * buckets of a histogram.
   *
   * @param pool runs large reductions; may reject them when it is full
   * @param times receives the durations of search phases
   * @param costs learns how much heap results take as objects
   * @param partialReductions what nodes can leave out of the results of shards
   */
  public static ReduceServices create(
      OpenSearchRegistries registries,
      Executor pool,
      PhaseTimeListener times,
      HeapBytesEstimator costs,
      PartialReductionSupport partialReductions) {
    CircuitBreaker breaker =
        new HierarchyCircuitBreakerService(
                registries.settings(), List.of(), registries.clusterSettings())
            .getBreaker(CircuitBreaker.REQUEST);
    return new ReduceServices(
        registries, breaker, pool, times, System::currentTimeMillis, costs, partialReductions);
  }

  /** Returns the registry that reads named payloads. */
  public NamedWriteableRegistry namedWriteables() {
    return registries.writeables();
  }

  /** Creates the breaker of one search. */
  public SearchCircuitBreaker createBreaker(RequestContext context, AggregationShape shape) {
    return new SearchCircuitBreaker(context.resources().memory(), breaker, costs, shape);
  }

  /**
   * Creates OpenSearch's own reducer with a bound on the number of buckets of a response.
   *
   * @param breaker the breaker of the search
   */
  public SearchPhaseController createController(int maxBuckets, SearchCircuitBreaker breaker) {
    return new SearchPhaseController(
        registries.writeables(), source -> createReduceContexts(maxBuckets, breaker, source));
  }

  /** Creates the reduce contexts of one search. */
  public ReduceContextBuilder createReduceContexts(
      int maxBuckets, SearchCircuitBreaker breaker, @Nullable SearchSourceBuilder source) {
    return new SearchReduceContexts(this, maxBuckets, breaker, source);
  }

  /** Builds the reduce contexts of one search. */
  private record SearchReduceContexts(
      ReduceServices services,
      int maxBuckets,
      SearchCircuitBreaker breaker,
      @Nullable SearchSourceBuilder source)
      implements ReduceContextBuilder {
    @Override
    public ReduceContext forPartialReduction() {
      Supplier<PipelineTree> pipelines = this::buildPipelines;
      return ReduceContext.forPartialReduction(
          BigArrays.NON_RECYCLING_INSTANCE, NO_SCRIPTS, pipelines);
    }

    @Override
    public ReduceContext forFinalReduction() {
      return ReduceContext.forFinalReduction(
          BigArrays.NON_RECYCLING_INSTANCE,
          NO_SCRIPTS,
          new AccountedBucketConsumer(maxBuckets, breaker),
          buildPipelines());
    }

    private PipelineTree buildPipelines() {
      return source == null || source.aggregations() == null
          ? PipelineTree.EMPTY
          : source.aggregations().buildPipelineTree();
    }
  }
}
