package dev.weir.node.ceiling;

import java.util.concurrent.atomic.AtomicLong;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.unit.ByteSizeValue;

/**
 * What one search holds on this node, in all its shards: a circuit breaker over the node's request
 * breaker. Each reservation counts here first, and then in the node's breaker, so that the node's
 * limits and statistics stay complete. Safe on any thread.
 */
final class RequestAccount implements CircuitBreaker {
  /** The metadata of a refusal that names the exceeded limit: {@code bytes} or {@code buckets}. */
  static final String EXCEEDED = "opensearch.request_ceiling";

  /** The metadata of a refusal with the buckets that the search held. */
  static final String BUCKETS = "opensearch.buckets";

  /** The metadata of a refusal with the client's X-Opaque-Id, if it sent one. */
  static final String OPAQUE_ID = "opensearch.opaque_id";

  private final RequestCeiling ceiling;
  private final String opaqueId;
  private final CircuitBreaker node;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong buckets = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();

  /**
   * Opens an account that holds nothing.
   *
   * @param opaqueId the client's X-Opaque-Id, for refusals; empty for none
   * @param node the node's request breaker
   */
  RequestAccount(RequestCeiling ceiling, String opaqueId, CircuitBreaker node) {
    this.ceiling = ceiling;
    this.opaqueId = opaqueId;
    this.node = node;
  }

  /**
   * Reserves bytes.
   *
   * @param label what they are for, such as {@code <agg [name]>}
   * @throws CircuitBreakingException if the search would hold more than its ceiling, or the node
   *     more than its own limits; then nothing is reserved
   */
  @Override
  public double addEstimateBytesAndMaybeBreak(long more, String label) {
    long held = bytes.addAndGet(more);
    if (more > 0 && held > ceiling.maxBytes()) {
      bytes.addAndGet(-more);
      throw refuse("bytes", label, held);
    }
    try {
      return node.addEstimateBytesAndMaybeBreak(more, label);
    } catch (RuntimeException refused) {
      bytes.addAndGet(-more);
      throw refused;
    }
  }

  @Override
  public long addWithoutBreaking(long more) {
    bytes.addAndGet(more);
    return node.addWithoutBreaking(more);
  }

  /**
   * Counts one more bucket.
   *
   * @throws CircuitBreakingException if the search holds more buckets than its ceiling; the bucket
   *     counts nevertheless, until {@link #removeBuckets}
   */
  void addBucket() {
    if (buckets.incrementAndGet() > ceiling.maxBuckets()) {
      throw refuse("buckets", "buckets", bytes.get());
    }
  }

  /** Removes buckets whose shard is done. */
  void removeBuckets(long count) {
    buckets.addAndGet(-count);
  }

  private CircuitBreakingException refuse(String exceeded, String label, long wanted) {
    refusals.incrementAndGet();
    long held = buckets.get();
    String limit =
        exceeded.equals("bytes") ? size(ceiling.maxBytes()) : count(ceiling.maxBuckets());
    CircuitBreakingException refusal =
        new CircuitBreakingException(
            "[weir-request] the search would exceed its ceiling on this node, for ["
                + label
                + "]: got ["
                + size(wanted)
                + "] and ["
                + held
                + "] buckets (expected: at most ["
                + limit
                + "])"
                + (opaqueId.isEmpty() ? "" : ", X-Opaque-Id [" + opaqueId + "]"),
            wanted,
            ceiling.maxBytes() == Long.MAX_VALUE ? -1 : ceiling.maxBytes(),
            Durability.PERMANENT);
    refusal.addMetadata(EXCEEDED, exceeded);
    refusal.addMetadata(BUCKETS, Long.toString(held));
    if (!opaqueId.isEmpty()) {
      refusal.addMetadata(OPAQUE_ID, opaqueId);
    }
    return refusal;
  }

  private static String size(long bytes) {
    return bytes + "/" + new ByteSizeValue(bytes);
  }

  private static String count(long buckets) {
    return buckets + " buckets";
  }

  long buckets() {
    return buckets.get();
  }

  @Override
  public void circuitBreak(String label, long wanted) {
    throw refuse("bytes", label, wanted);
  }

  @Override
  public long getUsed() {
    return bytes.get();
  }

  @Override
  public long getLimit() {
    return ceiling.maxBytes();
  }

  @Override
  public double getOverhead() {
    return 1;
  }

  @Override
  public long getTrippedCount() {
    return refusals.get();
  }

  @Override
  public String getName() {
    return CircuitBreaker.REQUEST;
  }

  @Override
  public Durability getDurability() {
    return Durability.PERMANENT;
  }

  /** Does nothing: the header sets the limit. */
  @Override
  public void setLimitAndOverhead(long limit, double overhead) {}
}
