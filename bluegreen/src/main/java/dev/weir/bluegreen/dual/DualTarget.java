package dev.weir.bluegreen.dual;

import dev.weir.rest.ActionExecutor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where writes are repeated, as the policy in force says.
 *
 * @param from the cluster that they are written to first
 * @param to the other one
 * @param way how it is reached
 * @param names how what lies in {@code from} is called there
 * @param timeout how long an answer waits for it
 * @param log keeps what it does not have
 */
public record DualTarget(
    String from, String to, Way way, DualNames names, Duration timeout, RepairLog log) {
  /** How a cluster is reached. */
  public sealed interface Way {}

  /** By its actions. */
  public record Open(ActionExecutor executor) implements Way {}

  /**
   * Not now.
   *
   * @param type a short word for the log
   * @param reason for people
   */
  public record Barred(String type, String reason) implements Way {
    /** It does not answer. */
    public static final Barred UNREACHABLE =
        new Barred("unreachable", "the cluster can't be reached");

    /**
     * Its nodes check who asks, by what the gateway does not have: it would write with its own
     * certificate what nobody has let the client write.
     */
    public static final Barred SECURED =
        new Barred("secured", "the cluster's nodes check who writes, and the gateway does not");
  }

  /** Carries actions out there; null while it must not, or can't. */
  @Nullable ActionExecutor executor() {
    return way instanceof Open(ActionExecutor executor) ? executor : null;
  }

  /** Why nothing is carried out there. */
  RepairEntry.Why barred() {
    Barred barred = way instanceof Barred why ? why : Barred.UNREACHABLE;
    return RepairEntry.Why.own(barred.type(), barred.reason());
  }
}
