package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.buckets.RandomAggregations.Node;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.FieldSortBuilder;
import org.opensearch.search.sort.SortOrder;

/** Random pipeline aggregations: some read the buckets beside them, some the bucket they are in. */
final class RandomPipelines {
  private final Random random;
  private int names;

  RandomPipelines(Random random) {
    this.random = random;
  }

  /** Adds pipelines to the buckets of an aggregation. */
  void addTo(AggregationBuilder parent, List<Node> contents) {
    boolean isHistogram =
        parent instanceof DateHistogramAggregationBuilder
            || parent instanceof HistogramAggregationBuilder;
    for (Node node : contents) {
      if (isHistogram && random.nextInt(3) == 0) {
        parent.subAggregation(ofNeighbours(node.path() == null ? "_count" : node.path()));
      }
      PipelineAggregationBuilder sibling = sibling(node);
      if (sibling != null) {
        parent.subAggregation(sibling);
      }
    }
  }

  /** Adds pipelines at the top of a search. */
  void addTo(SearchSourceBuilder source, List<Node> contents) {
    for (Node node : contents) {
      PipelineAggregationBuilder sibling = sibling(node);
      if (sibling != null) {
        source.aggregation(sibling);
      }
    }
  }

  private String name() {
    return "p" + names++;
  }

  private PipelineAggregationBuilder ofNeighbours(String path) {
    return switch (random.nextInt(4)) {
      case 0 -> PipelineAggregatorBuilders.derivative(name(), path);
      case 1 -> PipelineAggregatorBuilders.cumulativeSum(name(), path);
      case 2 -> PipelineAggregatorBuilders.diff(name(), path);
      default ->
          PipelineAggregatorBuilders.bucketSort(
                  name(), List.of(new FieldSortBuilder(path).order(SortOrder.DESC)))
              .size(1 + random.nextInt(9));
    };
  }

  /** Returns a pipeline that reads the buckets of an aggregation beside it; null for none. */
  private @Nullable PipelineAggregationBuilder sibling(Node node) {
    if (node.builder().getSubAggregations().isEmpty()
        || node.builder() instanceof FilterAggregationBuilder
        || random.nextInt(3) > 0) {
      return null;
    }
    String path = node.builder().getName() + ">" + number(node.builder());
    return switch (random.nextInt(4)) {
      case 0 -> PipelineAggregatorBuilders.avgBucket(name(), path);
      case 1 -> PipelineAggregatorBuilders.maxBucket(name(), path);
      case 2 -> PipelineAggregatorBuilders.percentilesBucket(name(), path);
      default -> PipelineAggregatorBuilders.statsBucket(name(), path);
    };
  }

  private static String number(AggregationBuilder parent) {
    for (AggregationBuilder below : parent.getSubAggregations()) {
      switch (below.getType()) {
        case "avg", "sum", "cardinality" -> {
          return below.getName();
        }
        case "percentiles" -> {
          return below.getName() + "[50.0]";
        }
        default -> {} // several numbers, or none
      }
    }
    return "_count";
  }
}
