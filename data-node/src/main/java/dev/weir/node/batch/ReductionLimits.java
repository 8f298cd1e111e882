package dev.weir.node.batch;

import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * What the node may leave out of the results of one search's queries. On the wire: how many hits
 * the search can use as a vint; and, in a message of {@link ShardBatchService#MERGED_ACTION}, a
 * vint with the bits of what may be reduced: 1 for hits in the order of scores, 2 for hits in the
 * order of fields, 4 for aggregations.
 *
 * @param maxHits how many hits of all shards together the search can use
 */
record ReductionLimits(int maxHits, boolean byScore, boolean byFields, boolean aggregations) {
  private static final int HITS_BY_SCORE = 1;
  private static final int HITS_BY_FIELDS = 2;
  private static final int AGGREGATIONS = 4;

  /** Reads the limits of a search whose hits are in the order of scores. */
  static ReductionLimits readHits(StreamInput in) throws IOException {
    return new ReductionLimits(in.readVInt(), true, false, false);
  }

  /** Reads the limits of any search. */
  static ReductionLimits read(StreamInput in) throws IOException {
    int maxHits = in.readVInt();
    int parts = in.readVInt();
    return new ReductionLimits(
        maxHits,
        (parts & HITS_BY_SCORE) != 0,
        (parts & HITS_BY_FIELDS) != 0,
        (parts & AGGREGATIONS) != 0);
  }

  /** Returns whether hits may be left out. */
  boolean hits() {
    return byScore || byFields;
  }
}
