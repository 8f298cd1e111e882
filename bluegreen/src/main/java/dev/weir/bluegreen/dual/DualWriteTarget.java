package dev.weir.bluegreen.dual;

import dev.weir.rest.ActionExecutor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where writes are repeated, as the policy in force says.
 *
 * @param sourceCluster the cluster that they are written to first
 * @param targetCluster the other one
 * @param access how it is reached
 * @param indexNames how what lies in {@code from} is called there
 * @param timeout how long an answer waits for it
 * @param repairLog keeps what it does not have
 */
public record DualWriteTarget(
    String sourceCluster,
    String targetCluster,
    Access access,
    TargetIndexNames indexNames,
    Duration timeout,
    RepairLog repairLog) {
  /** How a cluster is reached. */
  public sealed interface Access {}

  /** By its actions. */
  public record Available(ActionExecutor executor) implements Access {}

  /**
   * Not now.
   *
   * @param type a short word for the log
   * @param reason for people
   */
  public record Unavailable(String type, String reason) implements Access {
    /** It does not answer. */
    public static final Unavailable UNREACHABLE =
        new Unavailable("unreachable", "the cluster can't be reached");

    /**
     * Its nodes check who asks, by what the gateway does not have: it would write with its own
     * certificate what nobody has let the client write.
     */
    public static final Unavailable SECURED =
        new Unavailable(
            "secured", "the cluster's nodes check who writes, and the gateway does not");
  }

  /** Carries actions out there; null while it must not, or can't. */
  @Nullable ActionExecutor executor() {
    return access instanceof Available(ActionExecutor executor) ? executor : null;
  }

  /** Why nothing is carried out there. */
  RepairEntry.Cause unavailableReason() {
    Unavailable barred = access instanceof Unavailable why ? why : Unavailable.UNREACHABLE;
    return RepairEntry.Cause.ofGateway(barred.type(), barred.reason());
  }
}
