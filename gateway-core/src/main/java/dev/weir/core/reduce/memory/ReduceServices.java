package dev.weir.core.reduce.memory;

import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.model.RequestContext;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchPhaseController;
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
 * What reductions need of OpenSearch. Safe on any thread.
 *
 * @param namedWriteables reads named payloads
 * @param scripts compiles the scripts of reductions
 * @param breaker stops reductions that would take too much memory
 * @param pool where big reductions run; may refuse when it is full
 * @param phaseTimes hears how long searches take
 * @param wallMillis the time of day, as nodes tell one another
 * @param costs learns what answers take as objects
 */
public record ReduceServices(
    NamedWriteableRegistry namedWriteables,
    ScriptService scripts,
    CircuitBreaker breaker,
    Executor pool,
    PhaseTimeListener phaseTimes,
    LongSupplier wallMillis,
    HeapBytesEstimator costs) {

  /** The services of somebody who does not ask how long it takes. */
  public ReduceServices(
      NamedWriteableRegistry writeables,
      ScriptService scripts,
      CircuitBreaker breaker,
      Executor pool) {
    this(
        writeables,
        scripts,
        breaker,
        pool,
        PhaseTimeListener.NOOP,
        System::currentTimeMillis,
        new HeapBytesEstimator());
  }

  /**
   * The services with a node's own breaker. It looks at the real use of the heap, because a
   * reduction may grow far beyond what it accounts for: the empty buckets of a histogram.
   *
   * @param pool where big reductions run; may refuse when it is full
   * @param times hears how long searches take
   * @param costs learns what answers take as objects
   */
  public static ReduceServices create(
      OpenSearchRegistries registries,
      Executor pool,
      PhaseTimeListener times,
      HeapBytesEstimator costs) {
    CircuitBreaker breaker =
        new HierarchyCircuitBreakerService(
                registries.settings(), List.of(), registries.clusterSettings())
            .getBreaker(CircuitBreaker.REQUEST);
    return new ReduceServices(
        registries.writeables(),
        registries.scripts(),
        breaker,
        pool,
        times,
        System::currentTimeMillis,
        costs);
  }

  /** The breaker of one search. */
  public SearchCircuitBreaker createBreaker(RequestContext context, AggregationShape shape) {
    return new SearchCircuitBreaker(context.resources().memory(), breaker, costs, shape);
  }

  /**
   * OpenSearch's own reducer, with a bound on the number of buckets of one answer.
   *
   * @param breaker of the one search that it reduces for
   */
  public SearchPhaseController createController(int maxBuckets, SearchCircuitBreaker breaker) {
    return new SearchPhaseController(
        namedWriteables, source -> createReduceContexts(maxBuckets, breaker, source));
  }

  /** What the reductions of one search go by. */
  public ReduceContextBuilder createReduceContexts(
      int maxBuckets, SearchCircuitBreaker breaker, @Nullable SearchSourceBuilder source) {
    return new SearchReduceContexts(this, maxBuckets, breaker, source);
  }

  /** Makes the contexts of one search's reductions. */
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
          BigArrays.NON_RECYCLING_INSTANCE, services.scripts(), pipelines);
    }

    @Override
    public ReduceContext forFinalReduction() {
      return ReduceContext.forFinalReduction(
          BigArrays.NON_RECYCLING_INSTANCE,
          services.scripts(),
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
