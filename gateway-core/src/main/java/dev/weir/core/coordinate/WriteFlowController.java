package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestContext;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * How many bytes of writes go to a node at once, and how often what a node refused is sent again.
 * Safe on any thread.
 */
public final class WriteFlowController {
  private final NodeConcurrencyLimiters lanes;
  private final RandomGenerator random;
  private final Function<ReservationTimeout, Exception> rejectionFactory;
  private final Map<RetryReason, LongAdder> retries = new EnumMap<>(RetryReason.class);
  private final LongAdder rejections = new LongAdder();
  private volatile WriteRetryBackoff.Settings retrySettings;

  /** Why a piece was sent again. */
  public enum RetryReason {
    /** Its node refused all of it. */
    REJECTED,
    /** Its node refused some of its items. */
    REJECTED_ITEMS,
    /** Too much waited to be sent to its node. */
    NOT_SENT;

    /** Its name for people. */
    public String label() {
      return DisplayFormat.toKebabCase(this);
    }
  }

  /**
   * A piece of a write that has waited for room for as long as it may.
   *
   * @param context of its request
   * @param nodeId the node that had none
   * @param bytes that it has
   * @param inFlightBytes bytes that the node had
   * @param waitingOperations pieces that waited for it
   * @param limit bytes that it may have at once
   */
  public record ReservationTimeout(
      RequestContext context,
      String nodeId,
      long bytes,
      long inFlightBytes,
      int waitingOperations,
      long limit) {
    /** What a client is told. */
    public String message() {
      return "rejected by the gateway: node %s has %d bytes of writes under way and %d pieces wait for it, got a piece of %d bytes that has waited for as long as it may (expected: at most %d bytes at once; see bulk.max-in-flight-bytes-per-node)"
          .formatted(nodeId, inFlightBytes, waitingOperations, bytes, limit);
    }
  }

  /**
   * Makes one.
   *
   * @param lanes where the bytes that each node has are counted
   * @param random spreads pauses; safe on any thread
   * @param refusals what a client is told whose write found no room in time
   */
  public WriteFlowController(
      NodeConcurrencyLimiters lanes,
      BulkPolicy.Retry retry,
      RandomGenerator random,
      Function<ReservationTimeout, Exception> refusals) {
    this.lanes = lanes;
    this.retrySettings = WriteRetryBackoff.Settings.of(retry);
    this.random = random;
    this.rejectionFactory = refusals;
    for (RetryReason why : RetryReason.values()) {
      retries.put(why, new LongAdder());
    }
  }

  /** One of its own lanes, by which nothing is sent again. */
  static WriteFlowController withoutRetries() {
    return new WriteFlowController(
        new AdmissionQueues<String>(
                QueuePolicy.defaults(), System::nanoTime, tenant -> 1, place -> {})
            .limiters(),
        BulkPolicy.Retry.NEVER,
        new SplittableRandom(),
        late -> new IllegalStateException(late.message()));
  }

  /** Sends again by another policy from now on. */
  public void updatePolicy(BulkPolicy.Retry changed) {
    retrySettings = WriteRetryBackoff.Settings.of(changed);
  }

  NodeWriteBytesLimiter byteLimiter(String nodeId) {
    return lanes.writeBytesLimiter(nodeId);
  }

  /** The pauses of one piece. */
  WriteRetryBackoff newBackoff() {
    return new WriteRetryBackoff(retrySettings, random);
  }

  Exception reservationTimeout(RequestContext context, NodeWriteBytesLimiter node, long bytes) {
    return rejectionFactory.apply(
        new ReservationTimeout(
            context,
            node.nodeId(),
            bytes,
            node.inFlightBytes(),
            node.waiting(),
            node.limitBytes()));
  }

  void recordRetry(RetryReason why) {
    counter(why).increment();
  }

  void recordRejection() {
    rejections.increment();
  }

  private LongAdder counter(RetryReason why) {
    LongAdder count = retries.get(why);
    if (count == null) {
      throw new IllegalStateException("got no count of " + why + " (expected: of each)");
    }
    return count;
  }

  /** How many pieces were sent again for a reason. */
  public long retriesFor(RetryReason why) {
    return counter(why).sum();
  }

  /** How many pieces were refused for good, after as many times as they may be sent. */
  public long rejections() {
    return rejections.sum();
  }
}
