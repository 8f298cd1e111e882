package dev.weir.core.actions;

import dev.weir.core.coordinate.WriteOperation.FailureClass;
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
final class WriteFailureClassifier {
  private static final Pattern PRIMARY_LIMIT =
      Pattern.compile("max_coordinating_and_primary_bytes=(\\d{1,18})");

  private WriteFailureClassifier() {}

  /** Whether the node is closing, or lost the node that it forwarded the write to. */
  static boolean isNodeGone(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof ConnectTransportException || cause instanceof NodeClosedException;
  }

  /** Whether the node does not know the index or shard. */
  static boolean isUnknownShard(Exception answer) {
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    return cause instanceof IndexNotFoundException || cause instanceof ShardNotFoundException;
  }

  /** Whether an overloaded node rejected it. */
  static boolean isRejected(Throwable answer) {
    return ExceptionsHelper.unwrapCause(answer) instanceof OpenSearchRejectedExecutionException why
        && !why.isExecutorShutdown();
  }

  /**
   * What a refusal for too much work says of what was done; null where an answer is none.
   *
   * <p>By OpenSearch's sources a primary refuses before it does anything: {@code
   * IndexingPressure.markPrimaryOperationStarted}, the checks in {@code checkPrimaryLimits},
   * admission control, and the queue of the pool all come before the operation; a replica's refusal
   * is repeated by the primary and at last a failure of that copy, not of the write. What the node
   * itself throws on arrival has one wrapper around it. More of them mean that {@code
   * TransportReplicationAction.ReroutePhase} had handed it on, and that may have been after an
   * earlier attempt of which the answer says nothing. A pool that is shutting down can also refuse
   * what comes after the operation.
   *
   * @param action the name of what was sent
   */
  static @Nullable FailureClass classifyRejection(Exception answer, String action) {
    boolean atTheDoor = countWrappers(answer) <= 1;
    Throwable cause = ExceptionsHelper.unwrapCause(answer);
    if (cause instanceof CircuitBreakingException breaking) {
      boolean arriving = String.valueOf(breaking.getMessage()).contains("for [" + action + "]");
      boolean passes = breaking.getDurability() == CircuitBreaker.Durability.TRANSIENT;
      return atTheDoor && arriving && passes ? FailureClass.REJECTED : null;
    }
    if (!(cause instanceof OpenSearchRejectedExecutionException rejected)) {
      return null;
    }
    if (rejected.isExecutorShutdown()) {
      return FailureClass.UNCERTAIN;
    }
    return atTheDoor ? FailureClass.REJECTED : FailureClass.REJECTED_DURING_EXECUTION;
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
  static long reportedByteLimit(Exception refusal) {
    Throwable cause = ExceptionsHelper.unwrapCause(refusal);
    Matcher matcher = PRIMARY_LIMIT.matcher(String.valueOf(cause.getMessage()));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
