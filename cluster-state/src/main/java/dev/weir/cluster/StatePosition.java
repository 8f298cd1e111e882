package dev.weir.cluster;

import java.util.Comparator;
import org.opensearch.cluster.ClusterState;

/**
 * Where in a cluster's history a state is.
 *
 * @param term of the elected cluster manager
 * @param version of the state, which grows through all terms
 */
public record StatePosition(long term, long version) implements Comparable<StatePosition> {
  private static final Comparator<StatePosition> ORDER =
      Comparator.comparingLong(StatePosition::term).thenComparingLong(StatePosition::version);

  /** Where a state is. */
  public static StatePosition of(ClusterState state) {
    return new StatePosition(state.term(), state.version());
  }

  @Override
  public int compareTo(StatePosition other) {
    return ORDER.compare(this, other);
  }
}
