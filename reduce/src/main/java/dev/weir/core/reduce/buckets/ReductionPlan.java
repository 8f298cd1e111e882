package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReduceCostClassifier;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.MultiTermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.TopHitsAggregationBuilder;
import org.opensearch.search.aggregations.support.AggregationPath;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * What a search says about the reduction of its aggregations. Immutable.
 *
 * @param isSuited whether there is a histogram to merge, or a metric that takes much memory
 * @param hasHits whether the aggregations contain hits
 * @param hasPipelines whether pipeline aggregations read finished buckets
 * @param readNames aggregations whose values the reduction reads, to sort or in a pipeline
 * @param objectHistograms histograms whose order depends on their contents
 */
public record ReductionPlan(
    boolean isSuited,
    boolean hasHits,
    boolean hasPipelines,
    Set<String> readNames,
    Set<String> objectHistograms) {
  /** The plan of a search without aggregations. */
  private static final ReductionPlan NO_AGGREGATIONS =
      new ReductionPlan(false, false, false, Set.of(), Set.of());

  /** Orders of buckets that depend on keys and counts alone. */
  private static final Set<BucketOrder> SUPPORTED_ORDERS =
      Set.of(
          BucketOrder.key(true),
          BucketOrder.key(false),
          BucketOrder.count(true),
          BucketOrder.count(false),
          BucketOrder.compound(BucketOrder.count(true)),
          BucketOrder.compound(BucketOrder.count(false)),
          BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(false)),
          BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false)));

  /** Copies the names. */
  public ReductionPlan {
    readNames = Set.copyOf(readNames);
    objectHistograms = Set.copyOf(objectHistograms);
  }

  /** Returns the plan of a search. */
  public static ReductionPlan of(@Nullable SearchSourceBuilder source) {
    if (source == null || source.aggregations() == null) {
      return NO_AGGREGATIONS;
    }
    Collector collector = new Collector();
    collector.isSuited = ReduceCostClassifier.canAmplifyMemory(source);
    collector.visit(
        source.aggregations().getAggregatorFactories(),
        source.aggregations().getPipelineAggregatorFactories());
    return new ReductionPlan(
        collector.isSuited,
        collector.hasHits,
        collector.hasPipelines,
        collector.readNames,
        collector.objectHistograms);
  }

  /** Returns whether a histogram is sorted by keys and counts alone. */
  static boolean isSupported(BucketOrder order) {
    return SUPPORTED_ORDERS.contains(order);
  }

  /** Returns whether the reduction reads the values of an aggregation. */
  boolean readsMetric(String name) {
    return readNames.contains(name);
  }

  /** Returns whether a histogram needs all of its buckets as objects. */
  boolean readsHistogram(String name) {
    return objectHistograms.contains(name);
  }

  /** Visits the aggregations of a search. */
  private static final class Collector {
    private final Set<String> readNames = new HashSet<>();
    private final Set<String> objectHistograms = new HashSet<>();
    private boolean isSuited;
    private boolean hasHits;
    private boolean hasPipelines;

    private void visit(
        Collection<AggregationBuilder> all, Collection<PipelineAggregationBuilder> pipelines) {
      for (PipelineAggregationBuilder pipeline : pipelines) {
        hasPipelines = true;
        for (String path : pipeline.getBucketsPaths()) {
          addPath(AggregationPath.parse(path));
        }
      }
      for (AggregationBuilder one : all) {
        switch (one) {
          case TermsAggregationBuilder terms -> addOrder(terms.order());
          case MultiTermsAggregationBuilder terms -> addOrder(terms.order());
          case DateHistogramAggregationBuilder dates ->
              addHistogram(dates.getName(), dates.order());
          case HistogramAggregationBuilder numbers ->
              addHistogram(numbers.getName(), numbers.order());
          case TopHitsAggregationBuilder _ -> hasHits = true;
          default -> {} // neither sorts by contents nor needs another treatment
        }
        visit(one.getSubAggregations(), one.getPipelineAggregations());
      }
    }

    private void addHistogram(String name, BucketOrder order) {
      if (isSupported(order)) {
        isSuited = true;
      } else {
        objectHistograms.add(name);
        addOrder(order);
      }
    }

    private void addOrder(BucketOrder order) {
      switch (order) {
        case InternalOrder.Aggregation byMetric -> addPath(byMetric.path());
        case InternalOrder.CompoundOrder several -> several.orderElements().forEach(this::addOrder);
        default -> {} // by key or count
      }
    }

    private void addPath(AggregationPath path) {
      for (AggregationPath.PathElement element : path.getPathElements()) {
        readNames.add(element.name);
      }
    }
  }
}
