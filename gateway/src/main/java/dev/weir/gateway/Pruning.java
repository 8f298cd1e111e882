package dev.weir.gateway;

import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.core.actions.prune.TimePruning;
import dev.weir.cluster.bounds.BoundsLearner;
import dev.weir.cluster.bounds.LearnedBounds;
import dev.weir.cluster.bounds.NodePositions;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * What leaves indices out of searches by time.
 *
 * @param learned what is known of indices
 * @param positions asks nodes whether it holds
 * @param learner learns it
 * @param searches goes by it
 */
record Pruning(
    LearnedBounds learned, NodePositions positions, BoundsLearner learner, TimePruning searches)
    implements AutoCloseable {

  /**
   * Makes one.
   *
   * @param overloaded whether the gateway has so much to do that it must not make more of it
   */
  static Pruning of(TimePruningPolicy policy, Backend backend, BooleanSupplier overloaded) {
    LearnedBounds learned = new LearnedBounds();
    NodePositions positions = new NodePositions(backend.clients(), System::nanoTime);
    BoundsLearner learner =
        BoundsLearner.of(
            learned,
            positions,
            new BoundsLearner.Nodes(
                backend.follower(),
                backend.clients(),
                () ->
                    backend.queues().queues().waiting() > 0
                        || backend.binder().waiting() > 0
                        || overloaded.getAsBoolean()),
            InstantSource.system());
    backend.follower().onChange(learned);
    backend.follower().onChange(positions);
    backend.follower().onChange(learner);
    learner.use(policy);
    return new Pruning(
        learned,
        positions,
        learner,
        new TimePruning(policy, learned, positions, backend.follower()));
  }

  /** Goes by another policy from now on. */
  void use(TimePruningPolicy policy) {
    learner.use(policy);
    searches.use(policy);
  }

  @Override
  public void close() {
    learner.close();
  }
}
