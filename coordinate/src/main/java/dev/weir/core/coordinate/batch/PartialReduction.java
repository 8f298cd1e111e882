package dev.weir.core.coordinate.batch;

import dev.weir.cluster.capability.Capability;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * What a node may leave out of the results of one search's shards. All queries of a search share
 * one object; those of another search have another. Immutable.
 */
public final class PartialReduction {
  private final int maxHits;
  private final Set<Part> parts;
  private final PartialReductionCounts counts;

  /** A part of results that a node may reduce. */
  public enum Part {
    /** Hits in the order of their scores. */
    HITS_BY_SCORE(1, Capability.PARTIAL_REDUCTION),

    /** Hits in the order of fields. */
    HITS_BY_FIELDS(2, Capability.PARTIAL_FIELD_SORTS),

    /** Aggregations. */
    AGGREGATIONS(4, Capability.PARTIAL_AGGREGATIONS);

    private final int bit;
    private final Capability capability;

    Part(int bit, Capability capability) {
      this.bit = bit;
      this.capability = capability;
    }

    /** Returns what a node announces that can reduce this part. */
    Capability capability() {
      return capability;
    }
  }

  /**
   * Creates the reduction of a search.
   *
   * @param maxHits how many hits of all shards together can be in the response, or before its first
   *     one
   * @param parts what to reduce, at least one
   */
  public PartialReduction(int maxHits, Set<Part> parts, PartialReductionCounts counts) {
    this.maxHits = maxHits;
    this.parts = EnumSet.copyOf(parts);
    this.counts = counts;
  }

  /** Returns how many hits of all shards together the search can use. */
  public int maxHits() {
    return maxHits;
  }

  /** Returns what to reduce. */
  public Set<Part> parts() {
    return EnumSet.copyOf(parts);
  }

  PartialReductionCounts counts() {
    return counts;
  }

  /** Returns those of the parts that a node can reduce. */
  Set<Part> partsOf(Set<Part> supported) {
    Set<Part> common = EnumSet.copyOf(parts);
    common.retainAll(supported);
    return common;
  }

  /** Returns whether nodes that can reduce nothing but hits by score do all that is asked for. */
  static boolean isPlain(Set<Part> parts) {
    return parts.equals(EnumSet.of(Part.HITS_BY_SCORE));
  }

  /** Writes the plugin's {@code ReductionLimits} for some of the parts. */
  void write(StreamOutput out, Set<Part> reduced) throws IOException {
    out.writeVInt(maxHits);
    if (!isPlain(reduced)) {
      out.writeVInt(reduced.stream().mapToInt(part -> part.bit).sum());
    }
  }
}
