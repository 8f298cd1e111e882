package dev.weir.bluegreen.dual;

import dev.weir.model.ReleasableRequests;
import dev.weir.rest.ActionExecutor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The target of dual writes under the policy in force.
 *
 * @param sourceCluster the cluster that executes the writes first
 * @param targetCluster the cluster that they are repeated on
 * @param access how the target is reached
 * @param indexNames maps places of the source cluster to the target's names
 * @param timeout how long a response waits for the target
 * @param logs record what the target may lack, and what is under way
 */
public record DualWriteTarget(
    String sourceCluster,
    String targetCluster,
    Access access,
    TargetIndexNames indexNames,
    Duration timeout,
    DualWriteLogs logs) {
  /** How the target is reached. */
  public sealed interface Access {}

  /**
   * The target is reachable through its actions.
   *
   * @param requests those under way on the target
   */
  public record Available(ActionExecutor executor, ReleasableRequests requests) implements Access {}

  /**
   * The target is unavailable now.
   *
   * @param type a short word for the log
   * @param reason for people
   */
  public record Unavailable(String type, String reason) implements Access {
    /** The target does not respond. */
    public static final Unavailable UNREACHABLE =
        new Unavailable("unreachable", "the cluster can't be reached");

    /**
     * The target's nodes authenticate clients by credentials that the gateway does not have. With
     * its own certificate the gateway would write documents that the client may not write.
     */
    public static final Unavailable SECURED =
        new Unavailable(
            "secured", "the cluster's nodes check who writes, and the gateway does not");
  }

  /** Records what the target may lack. */
  RepairLog repairLog() {
    return logs.repairLog();
  }

  /** Executes actions on the target; null if it is unavailable. */
  @Nullable ActionExecutor executor() {
    return access instanceof Available way ? way.executor() : null;
  }

  /** The requests under way on the target; null if it is unavailable. */
  @Nullable ReleasableRequests requests() {
    return access instanceof Available way ? way.requests() : null;
  }

  /** Why the target is unavailable. */
  RepairEntry.Cause unavailableReason() {
    Unavailable barred = access instanceof Unavailable why ? why : Unavailable.UNREACHABLE;
    return RepairEntry.Cause.ofGateway(barred.type(), barred.reason());
  }
}
