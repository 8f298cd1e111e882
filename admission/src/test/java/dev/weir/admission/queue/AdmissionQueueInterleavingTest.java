package dev.weir.admission.queue;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.InterleavingCheck;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

@Drawn(oneIn = 4)
public final class AdmissionQueueInterleavingTest {
  @Test
  void admitUpToTheLimitAndForgetNoRequest() {
    InterleavingCheck.assertInvariants(Operations.class);
  }

  /** What requests do that need the one slot of a node, which is taken. */
  public static final class Operations {
    private static final int LIMIT = 1;

    private final Queue<QueuePosition<Integer>> decided = new ConcurrentLinkedQueue<>();
    private final Queue<QueuePosition<Integer>> positions = new ConcurrentLinkedQueue<>();
    private final AdmissionQueues<Integer> queues =
        new AdmissionQueues<>(
            QueuePolicies.fixed(LIMIT), () -> 1_000_000, tenant -> 1, decided::add);
    private final AdmissionQueue<Integer> searches = queues.queueFor(NodeThreadPool.SEARCH);
    private final NodeConcurrencyLimiter node =
        queues.limiters().limiter("n1", NodeThreadPool.SEARCH);

    public Operations() {
      // only one: Lincheck gives objects other hash codes during operations than before them
      offer(0);
    }

    @Operation
    public void offer(@Param(gen = IntGen.class, conf = "0:1") int tenant) {
      positions.add(
          searches.offer(
              tenant,
              new QueuedRequest(
                  NodeDemand.of(List.of(List.of("n1"))), "t" + tenant, 0, Long.MAX_VALUE)));
    }

    /** The oldest request leaves, whether it waits or was admitted. */
    @Operation
    public void release() {
      QueuePosition<Integer> oldest = positions.poll();
      if (oldest != null) {
        searches.release(oldest);
      }
    }

    @Operation
    public void tick() {
      queues.tick();
    }

    /** A request that came while a slot was freed may wait until the next tick, not longer. */
    @Validate
    public void useEachSlotOnce() {
      queues.tick();
      int admitted = 0;
      int waiting = 0;
      for (QueuePosition<Integer> position : positions) {
        admitted += position.state() == QueuePosition.State.ADMITTED ? 1 : 0;
        waiting += position.state() == QueuePosition.State.WAITING ? 1 : 0;
      }
      require(admitted <= LIMIT, "got " + admitted + " admitted requests");
      require(node.reserved() == admitted, "got " + node.reserved() + " slots");
      require(searches.waiting() == waiting, "got " + searches.waiting() + " counted as waiting");
      require(waiting == 0 || admitted == LIMIT, "requests wait beside a free slot");
      Set<QueuePosition<Integer>> once = new HashSet<>(decided);
      require(once.size() == decided.size(), "a request was decided twice");
      positions.forEach(searches::release);
      require(node.reserved() == 0, "slots are left");
      require(searches.waiting() == 0, "requests are left");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalStateException(otherwise);
      }
    }
  }
}
