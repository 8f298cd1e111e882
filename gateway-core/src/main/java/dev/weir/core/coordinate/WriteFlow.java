package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeBytes;
import dev.weir.admission.queue.NodeLanes;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.RequestContext;
import dev.weir.model.Shown;
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
public final class WriteFlow {
  private final NodeLanes lanes;
  private final RandomGenerator random;
  private final Function<Late, Exception> refusals;
  private final Map<Again, LongAdder> again = new EnumMap<>(Again.class);
  private final LongAdder givenUp = new LongAdder();
  private volatile BulkPolicy.Retry retry;

  /** Why a piece was sent again. */
  public enum Again {
    /** Its node refused all of it. */
    REJECTED,
    /** Its node refused some of its items. */
    ITEMS,
    /** Too much waited to be sent to its node. */
    NOT_SENT;

    /** Its name for people. */
    public String label() {
      return Shown.word(this);
    }
  }

  /**
   * A piece of a write that has waited for room for as long as it may.
   *
   * @param context of its request
   * @param nodeId the node that had none
   * @param bytes that it has
   * @param underWay bytes that the node had
   * @param waiting pieces that waited for it
   * @param limit bytes that it may have at once
   */
  public record Late(
      RequestContext context, String nodeId, long bytes, long underWay, int waiting, long limit) {
    /** What a client is told. */
    public String message() {
      return "rejected by the gateway: node %s has %d bytes of writes under way and %d pieces wait for it, got a piece of %d bytes that has waited for as long as it may (expected: at most %d bytes at once; see bulk.max-node-bytes)"
          .formatted(nodeId, underWay, waiting, bytes, limit);
    }
  }

  /**
   * Makes one.
   *
   * @param lanes where the bytes that each node has are counted
   * @param random spreads pauses; safe on any thread
   * @param refusals what a client is told whose write found no room in time
   */
  public WriteFlow(
      NodeLanes lanes,
      BulkPolicy.Retry retry,
      RandomGenerator random,
      Function<Late, Exception> refusals) {
    this.lanes = lanes;
    this.retry = retry;
    this.random = random;
    this.refusals = refusals;
    for (Again why : Again.values()) {
      again.put(why, new LongAdder());
    }
  }

  /** One of its own lanes, by which nothing is sent again. */
  static WriteFlow plain() {
    return new WriteFlow(
        new AdmissionQueues<String>(
                QueuePolicy.standard(), System::nanoTime, tenant -> 1, place -> {})
            .lanes(),
        BulkPolicy.Retry.NEVER,
        new SplittableRandom(),
        late -> new IllegalStateException(late.message()));
  }

  /** Sends again by another policy from now on. */
  public void use(BulkPolicy.Retry changed) {
    retry = changed;
  }

  NodeBytes bytes(String nodeId) {
    return lanes.bytes(nodeId);
  }

  /** The pauses of one piece. */
  Pauses pauses() {
    return new Pauses(retry, random);
  }

  Exception tooLong(RequestContext context, NodeBytes node, long bytes) {
    return refusals.apply(
        new Late(context, node.nodeId(), bytes, node.underWay(), node.waiting(), node.limit()));
  }

  void sentAgain(Again why) {
    count(why).increment();
  }

  void gaveUp() {
    givenUp.increment();
  }

  private LongAdder count(Again why) {
    LongAdder count = again.get(why);
    if (count == null) {
      throw new IllegalStateException("got no count of " + why + " (expected: of each)");
    }
    return count;
  }

  /** How many pieces were sent again for a reason. */
  public long sentAgainFor(Again why) {
    return count(why).sum();
  }

  /** How many pieces were refused for good, after as many times as they may be sent. */
  public long givenUp() {
    return givenUp.sum();
  }
}
