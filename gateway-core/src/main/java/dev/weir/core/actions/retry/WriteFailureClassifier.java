package dev.weir.core.actions.retry;

import dev.weir.core.coordinate.write.WriteOperation.FailureClass;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchWrapperException;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.shard.ShardNotFoundException;
import org.opensearch.node.NodeClosedException;
import org.opensearch.transport.ConnectTransportException;

/** Classifies nodes' errors to writes. */
public final class WriteFailureClassifier {
  private static final Pattern PRIMARY_LIMIT =
      Pattern.compile("max_coordinating_and_primary_bytes=(\\d{1,18})");

  private WriteFailureClassifier() {}

  /** Whether the node is closing, or lost the node that it forwarded the write to. */
  public static boolean isNodeGone(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof ConnectTransportException || cause instanceof NodeClosedException;
  }

  /** Whether the node does not know the index or shard. */
  public static boolean isUnknownShard(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof IndexNotFoundException || cause instanceof ShardNotFoundException;
  }

  /** Whether an overloaded node rejected it. */
  public static boolean isRejected(Throwable answer) {
    return ExceptionsHelper.unwrapCause(answer) instanceof OpenSearchRejectedExecutionException why
        && !why.isExecutorShutdown();
  }

  /**
   * Classifies a rejection by an overloaded node: whether the write was executed. Returns null for
   * any other error.
   *
   * <p>In OpenSearch a primary rejects a write before it executes it: {@code
   * IndexingPressure.markPrimaryOperationStarted}, the checks in {@code checkPrimaryLimits},
   * admission control, and the queue of the thread pool all come first. When a replica rejects, the
   * primary retries, and in the end fails that copy, not the write.
   *
   * <p>A rejection on arrival has at most one wrapper exception around it. More wrappers mean that
   * {@code TransportReplicationAction.ReroutePhase} had forwarded the write, perhaps after an
   * earlier attempt that the error does not report. A thread pool that is shutting down can also
   * reject a task that follows the write.
   *
   * @param action the name of the action that was sent
   */
  public static @Nullable FailureClass classifyRejection(Exception answer, String action) {
    boolean onArrival = countWrappers(answer) <= 1;
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    if (cause instanceof CircuitBreakingException breaking) {
      boolean arriving = String.valueOf(breaking.getMessage()).contains("for [" + action + "]");
      boolean passes = breaking.getDurability() == CircuitBreaker.Durability.TRANSIENT;
      return onArrival && arriving && passes ? FailureClass.REJECTED : null;
    }
    if (!(cause instanceof OpenSearchRejectedExecutionException rejected)) {
      return null;
    }
    if (rejected.isExecutorShutdown()) {
      return FailureClass.UNCERTAIN;
    }
    return onArrival ? FailureClass.REJECTED : FailureClass.REJECTED_DURING_EXECUTION;
  }

  /**
   * Whether an attempt that ended with a failure may have executed the write: always, except for a
   * rejection. Of that, at most two wrapper exceptions mean that the primary itself rejected what
   * its node had sent to it. More mean that the node forwarded the write to another one, perhaps
   * because it was the primary before and had executed it.
   */
  public static boolean mayHaveExecuted(Exception answer) {
    return !isRejected(answer) || countWrappers(answer) > 2;
  }

  private static int countWrappers(Throwable answer) {
    int wrappers = 0;
    for (Throwable one = answer;
        one instanceof OpenSearchWrapperException && one.getCause() != null && wrappers < 10;
        one = one.getCause()) {
      wrappers++;
    }
    return wrappers;
  }

  /** The bytes of writes in flight that a rejecting node reports as its limit; 0 if it doesn't. */
  public static long reportedByteLimit(Exception refusal) {
    Throwable cause = ExceptionsHelper.unwrapCause(refusal);
    Matcher matcher = PRIMARY_LIMIT.matcher(String.valueOf(cause.getMessage()));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
