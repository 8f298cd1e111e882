package dev.weir.core.coordinate.flow;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestContext;
import dev.weir.model.RetryAdvice;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

/**
 * Bounds the bytes of writes in flight to a node, and retries what a node rejected. Safe on any
 * thread.
 */
public final class WriteFlowController {
  private final NodeConcurrencyLimiters lanes;
  private final RandomGenerator random;
  private final BiFunction<RequestContext, ReservationTimeout, Exception> rejectionFactory;
  private final Map<RetryReason, LongAdder> retries = new EnumMap<>(RetryReason.class);
  private final LongAdder rejections = new LongAdder();
  private volatile WriteRetryBackoff.Settings retrySettings;

  /** Why an operation was retried. */
  public enum RetryReason {
    /** Its node rejected all of it. */
    REJECTED,
    /** Its node rejected some of its items. */
    REJECTED_ITEMS,
    /** Too many bytes waited to be sent to its node. */
    NOT_SENT;

    /** The label's value in metrics. */
    public String label() {
      return DisplayFormat.toKebabCase(this);
    }
  }

  /**
   * An operation that could not reserve its bytes in time. Holds nothing of its request.
   *
   * @param nodeId the node without capacity
   * @param bytes that the operation needs
   * @param inFlightBytes bytes in flight to the node
   * @param waitingOperations operations that waited for the node
   * @param limit bytes that may be in flight to the node
   */
  public record ReservationTimeout(
      String nodeId, long bytes, long inFlightBytes, int waitingOperations, long limit) {
    /** The client's error. */
    public String message() {
      return "rejected by the gateway: node %s has %d bytes of writes in flight and %d operations wait for it; an operation of %d bytes waited until its timeout (expected: at most %d bytes at once)"
              .formatted(nodeId, inFlightBytes, waitingOperations, bytes, limit)
          + RetryAdvice.retry(Duration.ofSeconds(1), "bulk.max-in-flight-bytes-per-node");
    }
  }

  /**
   * Starts with the given limits.
   *
   * @param lanes count the bytes in flight to each node
   * @param random spreads backoffs; safe on any thread
   * @param refusals writes the client's error when a reservation times out
   */
  public WriteFlowController(
      NodeConcurrencyLimiters lanes,
      BulkPolicy.Retry retry,
      RandomGenerator random,
      BiFunction<RequestContext, ReservationTimeout, Exception> refusals) {
    this.lanes = lanes;
    this.retrySettings = WriteRetryBackoff.Settings.of(retry);
    this.random = random;
    this.rejectionFactory = refusals;
    for (RetryReason reason : RetryReason.values()) {
      retries.put(reason, new LongAdder());
    }
  }

  /** A controller with limits of its own that retries nothing. */
  public static WriteFlowController withoutRetries() {
    return new WriteFlowController(
        new AdmissionQueues<String>(
                QueuePolicy.defaults(), System::nanoTime, tenant -> 1, place -> {})
            .limiters(),
        BulkPolicy.Retry.NEVER,
        new SplittableRandom(),
        (_, late) -> new IllegalStateException(late.message()));
  }

  /** Switches to another retry policy. */
  public void updatePolicy(BulkPolicy.Retry changed) {
    retrySettings = WriteRetryBackoff.Settings.of(changed);
  }

  /** Returns the limiter of the bytes in flight to a node. */
  public NodeWriteBytesLimiter byteLimiter(String nodeId) {
    return lanes.writeBytesLimiter(nodeId);
  }

  /** The backoffs of one operation. */
  public WriteRetryBackoff newBackoff() {
    return new WriteRetryBackoff(retrySettings, random);
  }

  /** Counts an operation that could not reserve its bytes in time, and returns its error. */
  public Exception reservationTimeout(
      RequestContext context, NodeWriteBytesLimiter node, long bytes) {
    recordRejection();
    return rejectionFactory.apply(
        context,
        new ReservationTimeout(
            node.nodeId(), bytes, node.inFlightBytes(), node.waiting(), node.limitBytes()));
  }

  /** Counts an operation that is sent again. */
  public void recordRetry(RetryReason reason) {
    counter(reason).increment();
  }

  /** Counts an operation that ends with a rejection. */
  public void recordRejection() {
    rejections.increment();
  }

  private LongAdder counter(RetryReason reason) {
    LongAdder count = retries.get(reason);
    if (count == null) {
      throw new IllegalStateException("got no count of " + reason + " (expected: of each)");
    }
    return count;
  }

  /** How many operations were retried for a reason. */
  public long retriesFor(RetryReason reason) {
    return counter(reason).sum();
  }

  /** How many operations failed after their last retry. */
  public long rejections() {
    return rejections.sum();
  }
}
