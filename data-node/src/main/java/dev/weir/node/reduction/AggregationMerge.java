package dev.weir.node.reduction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation.InternalBucket;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;

/**
 * Merges the aggregations of several shards with OpenSearch's own partial reduction, where the
 * reduction of a coordinating node gives the same result bit for bit with the merged ones in place
 * of those of each shard.
 *
 * <p>That holds for the least and the greatest value, for counts of values, and for histograms and
 * terms of these. All buckets stay: where a partial reduction of terms drops some, nothing is
 * merged. The merged result of terms has the sum of the shards' errors as its own. A coordinating
 * node takes it from there if the result has as many buckets as a shard returns at most; from fewer
 * it knows that there is none. If there are so many buckets but no error, because no single shard
 * has so many, it would take the smallest count for the error: then nothing is merged. Errors of
 * single buckets depend on more, so a gateway does not ask for a merge if a search shows them. Sums
 * depend on the order in which numbers are added.
 *
 * <p>Used by one thread, for one search: all shards have the same fields.
 */
public final class AggregationMerge {
  private final NamedWriteableRegistry writeables;
  private final Level top = new Level();

  /** The aggregations of the search beside each other, by name. */
  private static final class Level {
    /** The size of the map of names in which OpenSearch reduces few aggregations. */
    private static final int MAP_SIZE = 16;

    private final Map<String, Definition> definitions = new HashMap<>();

    /**
     * Returns whether a reduction may change the order of aggregations that were reduced before. It
     * reverses those whose names share a place in its map, and so restores their order if it is
     * repeated.
     */
    boolean hasUnstableOrder() {
      Set<Integer> places = new HashSet<>();
      for (Map.Entry<String, Definition> one : definitions.entrySet()) {
        int hash = one.getKey().hashCode();
        if (!places.add((hash ^ hash >>> 16) & (MAP_SIZE - 1))
            || one.getValue().below.hasUnstableOrder()) {
          return true;
        }
      }
      return false;
    }

    Definition of(Aggregation one) {
      return definitions.computeIfAbsent(one.getName(), name -> new Definition());
    }
  }

  /** What is known of an aggregation of the search, from its first result. */
  private static final class Definition {
    private final Level below = new Level();
    private @Nullable TermsHeader terms;
  }

  /**
   * Creates a merge for the results of one search.
   *
   * @param writeables reads the formats of values
   */
  public AggregationMerge(NamedWriteableRegistry writeables) {
    this.writeables = writeables;
  }

  /** Returns whether aggregations have types that merge. Their contents may still rule it out. */
  public static boolean canMerge(List<InternalAggregations> shards) {
    return !shards.isEmpty() && areAlike(shards) && isKnown(shards.getFirst());
  }

  /**
   * Merges aggregations.
   *
   * @param shards in the order of the shards' indices, those that {@link #canMerge} accepts. They
   *     must not be used any more: the reduction of terms changes them
   * @return the merged ones, which belong in the place of the first; null if the aggregations have
   *     to be reduced by shard
   */
  public @Nullable InternalAggregations merge(List<InternalAggregations> shards) {
    ReduceContext partial =
        ReduceContext.forPartialReduction(
            BigArrays.NON_RECYCLING_INSTANCE, null, () -> PipelineTree.EMPTY);
    try {
      InternalAggregations merged = InternalAggregations.reduce(new ArrayList<>(shards), partial);
      if (!isExact(merged, top)) {
        return null;
      }
      return top.hasUnstableOrder()
          ? InternalAggregations.reduce(new ArrayList<>(List.of(merged)), partial)
          : merged;
    } catch (RuntimeException unlike) {
      return null; // a coordinating node reports it, if it is an error
    }
  }

  /** Returns whether all shards have aggregations of the same types. */
  private static boolean areAlike(List<InternalAggregations> shards) {
    List<Aggregation> first = shards.getFirst().asList();
    for (InternalAggregations shard : shards) {
      List<Aggregation> own = shard.asList();
      if (own.size() != first.size()) {
        return false;
      }
      for (int i = 0; i < own.size(); i++) {
        if (!own.get(i).getClass().equals(first.get(i).getClass())
            || !own.get(i).getName().equals(first.get(i).getName())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns whether aggregations and those of their first buckets have types that merge. */
  private static boolean isKnown(InternalAggregations all) {
    for (Aggregation one : all) {
      if (!(one instanceof InternalAggregation known) || kind(known) == Kind.OTHER) {
        return false;
      }
      if (one instanceof InternalMultiBucketAggregation<?, ?> buckets
          && !buckets.getBuckets().isEmpty()
          && !isKnown(below(buckets.getBuckets().getFirst()))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a coordinating node reduces merged aggregations to the same as their parts. */
  private boolean isExact(InternalAggregations merged, Level level) {
    for (Aggregation one : merged) {
      if (!(one instanceof InternalAggregation known) || !isExact(known, level.of(one))) {
        return false;
      }
    }
    return true;
  }

  private boolean isExact(InternalAggregation one, Definition definition) {
    return switch (kind(one)) {
      case OTHER -> false;
      case VALUE -> true;
      case HISTOGRAM ->
          one instanceof InternalMultiBucketAggregation<?, ?> buckets
              && areExact(buckets.getBuckets(), definition.below);
      case TERMS ->
          one instanceof InternalTerms<?, ?> terms
              && isComplete(terms, definition)
              && areExact(terms.getBuckets(), definition.below);
    };
  }

  private boolean areExact(List<? extends InternalBucket> buckets, Level level) {
    for (InternalBucket bucket : buckets) {
      if (!isExact(below(bucket), level)) {
        return false;
      }
    }
    return true;
  }

  private static InternalAggregations below(InternalBucket bucket) {
    return (InternalAggregations) bucket.getAggregations();
  }

  /**
   * Returns whether merged terms have all buckets of their parts, and a coordinating node sees in
   * them the error that their parts have.
   */
  private boolean isComplete(InternalTerms<?, ?> merged, Definition definition) {
    if (merged instanceof UnmappedTerms) {
      return true;
    }
    TermsHeader header = definition.terms;
    if (header == null) {
      header = TermsHeader.of(merged, writeables);
      definition.terms = header;
    }
    return header.keepsAllBuckets()
        && header.isErrorKnown(merged.getBuckets().size(), merged.getDocCountError());
  }

  /** How an aggregation's results merge. */
  private enum Kind {
    VALUE,
    HISTOGRAM,
    TERMS,
    OTHER
  }

  private static Kind kind(InternalAggregation one) {
    return switch (one.getWriteableName()) {
      case MinAggregationBuilder.NAME,
          MaxAggregationBuilder.NAME,
          ValueCountAggregationBuilder.NAME ->
          Kind.VALUE;
      case HistogramAggregationBuilder.NAME, DateHistogramAggregationBuilder.NAME -> Kind.HISTOGRAM;
      case StringTerms.NAME, LongTerms.NAME, DoubleTerms.NAME, UnmappedTerms.NAME -> Kind.TERMS;
      default -> Kind.OTHER;
    };
  }
}
