package dev.weir.cluster;

import java.util.Comparator;
import org.opensearch.cluster.ClusterState;

/**
 * Where in a cluster's history a state is.
 *
 * @param term of the elected cluster manager
 * @param version of the state, which grows through all terms
 */
public record Position(long term, long version) implements Comparable<Position> {
  private static final Comparator<Position> ORDER =
      Comparator.comparingLong(Position::term).thenComparingLong(Position::version);

  /** Where a state is. */
  public static Position of(ClusterState state) {
    return new Position(state.term(), state.version());
  }

  @Override
  public int compareTo(Position other) {
    return ORDER.compare(this, other);
  }
}
