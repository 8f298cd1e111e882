package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeWriteBytesLimiterTest {
  private final List<String> told = new ArrayList<>();
  private final AtomicInteger freed = new AtomicInteger();
  private final NodeWriteBytesLimiter node =
      new NodeWriteBytesLimiter("n1", 1000, freed::incrementAndGet);

  private NodeWriteBytesLimiter.Lease take(String name, long bytes) {
    return node.acquire(bytes, lease -> told.add(name));
  }

  @Test
  void admitWhatFitsAndTheRestInOrder() {
    NodeWriteBytesLimiter.Lease first = take("first", 600);
    NodeWriteBytesLimiter.Lease large = take("large", 500);
    NodeWriteBytesLimiter.Lease small = take("small", 10);
    assertThat(first.isHeld()).isTrue();
    assertThat(large.isHeld() || small.isHeld()).as("nobody passes who waits").isFalse();
    assertThat(node.waiting()).isEqualTo(2);
    assertThat(node.hasCapacity()).isFalse();

    first.onResponse();
    assertThat(told).containsExactly("large", "small");
    assertThat(node.inFlightBytes()).isEqualTo(510);
    assertThat(node.hasCapacity()).isTrue();
    assertThat(freed).hasValue(1);
  }

  @Test
  void admitAnOversizedWriteAlone() {
    NodeWriteBytesLimiter.Lease small = take("small", 1);
    NodeWriteBytesLimiter.Lease huge = take("huge", 5000);
    assertThat(huge.isHeld()).isFalse();
    small.cancel();
    assertThat(huge.isHeld()).isTrue();
    huge.onResponse();
    assertThat(node.inFlightBytes()).isZero();
  }

  @Test
  void givesBackOnce() {
    NodeWriteBytesLimiter.Lease first = take("first", 600);
    take("second", 300);
    first.onResponse();
    first.cancel();
    first.onRejection(0);
    assertThat(node.inFlightBytes()).isEqualTo(300);
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void admitLaterWritesWhenAWaitingOneLeaves() {
    take("first", 600);
    NodeWriteBytesLimiter.Lease large = take("large", 900);
    take("small", 100);
    large.cancel();
    assertThat(told).containsExactly("small");
    assertThat(node.inFlightBytes()).isEqualTo(700);
  }

  @Test
  void lowerTheLimitOncePerRoundOfRejections() {
    List<NodeWriteBytesLimiter.Lease> sent =
        List.of(take("a", 100), take("b", 100), take("c", 100));
    sent.forEach(lease -> lease.onRejection(0));
    assertThat(node.limitBytes()).isEqualTo(700);
    take("d", 100).onRejection(0);
    assertThat(node.limitBytes()).isBetween(489L, 490L);
    for (int refusals = 0; refusals < 50; refusals++) {
      take("e", 1).onRejection(0);
    }
    assertThat(node.limitBytes()).as("never nothing").isEqualTo(62);
    for (int answers = 0; answers < 100; answers++) {
      take("f", 1).onResponse();
    }
    assertThat(node.limitBytes()).as("as before").isEqualTo(1000);
  }

  @Test
  void stayWellBelowTheLimitThatTheNodeReports() {
    take("a", 100).onRejection(500);
    for (int answers = 0; answers < 100; answers++) {
      take("b", 1).onResponse();
    }
    assertThat(node.limitBytes()).isEqualTo(200);
  }

  @Test
  void admitWaitingWritesAfterTheLimitGrows() {
    take("first", 600);
    NodeWriteBytesLimiter.Lease second = take("second", 600);
    node.setMaxBytes(2000);
    assertThat(second.isHeld()).isTrue();
    assertThat(told).containsExactly("second");
  }

  /**
   * Checks for random outcomes that the bound holds, no write starves, and all bytes are released.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void releaseAllBytesForAnyOutcome(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<NodeWriteBytesLimiter.Lease> open = new ArrayList<>();
    List<NodeWriteBytesLimiter.Lease> inOrder = new ArrayList<>();
    AtomicInteger letIn = new AtomicInteger();
    for (int step = 0; step < 20_000; step++) {
      if (open.isEmpty() || random.nextInt(100) < 48) {
        long bytes = random.nextInt(10) == 0 ? random.nextLong(3000) : random.nextLong(300);
        NodeWriteBytesLimiter.Lease lease =
            node.acquire(
                bytes,
                held -> {
                  assertThat(held).as("first come, first in").isSameAs(inOrder.removeFirst());
                  letIn.incrementAndGet();
                });
        open.add(lease);
        if (!lease.isHeld()) {
          inOrder.add(lease);
        }
      } else {
        NodeWriteBytesLimiter.Lease lease = open.remove(random.nextInt(open.size()));
        inOrder.remove(lease);
        switch (random.nextInt(4)) {
          case 0 -> lease.onRejection(random.nextInt(5) == 0 ? 1500 + random.nextLong(3000) : 0);
          case 1 -> lease.cancel();
          default -> lease.onResponse();
        }
      }
      if (random.nextInt(1000) == 0) {
        node.setMaxBytes(500 + random.nextLong(1000));
      }
      assertThat(node.waiting()).isEqualTo(inOrder.size());
      assertThat(node.waiting() > 0 && node.inFlightBytes() == 0).as("waits for nothing").isFalse();
    }
    assertThat(letIn.get()).isGreaterThan(100);
    while (!open.isEmpty()) {
      NodeWriteBytesLimiter.Lease held =
          open.stream().filter(NodeWriteBytesLimiter.Lease::isHeld).findFirst().orElseThrow();
      open.remove(held);
      held.onResponse();
    }
    assertThat(node.inFlightBytes()).isZero();
    assertThat(node.waiting()).isZero();
  }

  @Test
  void releaseAllBytesOnManyThreads() throws Exception {
    int threads = 4;
    int each = 5_000;
    AtomicInteger heard = new AtomicInteger();
    AtomicInteger held = new AtomicInteger();
    Queue<NodeWriteBytesLimiter.Lease> granted = new ConcurrentLinkedQueue<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      CountDownLatch go = new CountDownLatch(1);
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        all.add(
            pool.submit(() -> {
              go.await();
              for (int piece = 0; piece < each; piece++) {
                boolean givesUp = random.nextInt(5) == 0;
                NodeWriteBytesLimiter.Lease lease =
                    node.acquire(
                        random.nextLong(700),
                        late -> {
                          heard.incrementAndGet();
                          granted.add(late);
                        });
                if (givesUp) {
                  lease.cancel();
                } else if (lease.isHeld()) {
                  held.incrementAndGet();
                  lease.onResponse();
                }
                answer(granted);
              }
              return null;
            }));
      }
      go.countDown();
      for (Future<?> one : all) {
        one.get();
      }
    }
    answer(granted);
    assertThat(node.inFlightBytes()).isZero();
    assertThat(node.waiting()).isZero();
    assertThat(held.get()).isPositive();
  }

  /**
   * Runs grants in separate tasks, as event loops do: a grant of bytes does not release them at
   * once.
   */
  private static void answer(Queue<NodeWriteBytesLimiter.Lease> granted) {
    for (NodeWriteBytesLimiter.Lease one = granted.poll(); one != null; one = granted.poll()) {
      one.onResponse();
    }
  }
}
