package dev.weir.gateway;

import dev.weir.cluster.bounds.BoundsLearner;
import dev.weir.cluster.bounds.BoundsRegistry;
import dev.weir.cluster.bounds.NodePositionChecker;
import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.core.actions.prune.TimePruner;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * What leaves indices out of searches by time.
 *
 * @param learnedBounds what is known of indices
 * @param nodePositions asks nodes whether it holds
 * @param boundsLearner learns it
 * @param timePruning goes by it
 */
record PruningRuntime(
    BoundsRegistry learnedBounds,
    NodePositionChecker nodePositions,
    BoundsLearner boundsLearner,
    TimePruner timePruning)
    implements AutoCloseable {

  /**
   * Makes one.
   *
   * @param overloaded whether the gateway has so much to do that it must not make more of it
   */
  static PruningRuntime create(
      TimePruningPolicy policy, ClusterConnection backend, BooleanSupplier overloaded) {
    BoundsRegistry learned = new BoundsRegistry();
    NodePositionChecker positions =
        new NodePositionChecker(backend.transportClients(), System::nanoTime);
    BoundsLearner learner =
        BoundsLearner.of(
            learned,
            positions,
            new BoundsLearner.NodeSources(
                backend.follower(),
                backend.transportClients(),
                () ->
                    backend.admissionQueues().queues().waiting() > 0 || overloaded.getAsBoolean()),
            InstantSource.system());
    backend.follower().addListener(learned);
    backend.follower().addListener(positions);
    backend.follower().addListener(learner);
    learner.setPolicy(policy);
    return new PruningRuntime(
        learned,
        positions,
        learner,
        new TimePruner(policy, learned, positions, backend.follower()));
  }

  /** Goes by another policy from now on. */
  void updatePolicy(TimePruningPolicy policy) {
    boundsLearner.setPolicy(policy);
    timePruning.updatePolicy(policy);
  }

  @Override
  public void close() {
    boundsLearner.close();
  }
}
