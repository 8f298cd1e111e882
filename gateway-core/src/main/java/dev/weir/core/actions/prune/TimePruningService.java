package dev.weir.core.actions.prune;

import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.bounds.BoundsLearner;
import dev.weir.cluster.bounds.BoundsRegistry;
import dev.weir.cluster.bounds.CopyBoundsChecker;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
import dev.weir.cluster.bounds.NodePositionChecker;
import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.protocol.TransportClients;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * Skips shards of searches by time on one cluster: learns the time bounds of indices, and applies
 * them. Safe on any thread.
 *
 * @param learnedBounds the known bounds of indices
 * @param learnedCopies the known bounds of copies of indices that take writes
 * @param nodePositions confirms with nodes that the bounds of indices still hold
 * @param copyChecks confirms with nodes that copies still have no match
 * @param boundsLearner reads bounds from nodes
 * @param timePruning decides which shards a search skips
 */
public record TimePruningService(
    BoundsRegistry learnedBounds,
    CopyBoundsRegistry learnedCopies,
    NodePositionChecker nodePositions,
    CopyBoundsChecker copyChecks,
    BoundsLearner boundsLearner,
    TimePruner timePruning)
    implements AutoCloseable {

  /**
   * Creates the parts and has them follow the cluster.
   *
   * @param isUnsecured whether nodes answer questions that name no user; it learns only then
   * @param overloaded whether the gateway is too busy to learn bounds
   */
  public static TimePruningService create(
      TimePruningPolicy policy,
      ClusterFollower follower,
      TransportClients clients,
      BooleanSupplier isUnsecured,
      BooleanSupplier overloaded) {
    BoundsRegistry learned = new BoundsRegistry();
    CopyBoundsRegistry copies = new CopyBoundsRegistry();
    CopyBoundsChecker copyChecks = new CopyBoundsChecker(clients, copies);
    NodePositionChecker positions = new NodePositionChecker(clients, System::nanoTime);
    BoundsLearner learner =
        BoundsLearner.of(
            learned,
            copies,
            positions,
            new BoundsLearner.NodeSources(
                follower, clients, follower.capabilities(), isUnsecured, overloaded),
            InstantSource.system());
    follower.addListener(learned);
    follower.addListener(copies);
    follower.addListener(positions);
    follower.addListener(learner);
    learner.setPolicy(policy);
    return new TimePruningService(
        learned,
        copies,
        positions,
        copyChecks,
        learner,
        new TimePruner(
            policy, learned, copies, new TimePruner.NodeChecks(positions, copyChecks), follower));
  }

  /** Applies a changed policy. */
  public void updatePolicy(TimePruningPolicy policy) {
    boundsLearner.setPolicy(policy);
    timePruning.updatePolicy(policy);
  }

  @Override
  public void close() {
    boundsLearner.close();
  }
}
