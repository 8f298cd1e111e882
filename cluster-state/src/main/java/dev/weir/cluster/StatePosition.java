package dev.weir.cluster;

import java.util.Comparator;
import org.opensearch.cluster.ClusterState;

/**
 * The position of a state in a cluster's history.
 *
 * @param term the term of the elected cluster manager
 * @param version the version of the state, which grows through all terms
 */
public record StatePosition(long term, long version) implements Comparable<StatePosition> {
  private static final Comparator<StatePosition> ORDER =
      Comparator.comparingLong(StatePosition::term).thenComparingLong(StatePosition::version);

  /** Returns the position of a state. */
  public static StatePosition of(ClusterState state) {
    return new StatePosition(state.term(), state.version());
  }

  @Override
  public int compareTo(StatePosition other) {
    return ORDER.compare(this, other);
  }
}
