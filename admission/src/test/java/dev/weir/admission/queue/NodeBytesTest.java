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

class NodeBytesTest {
  private final List<String> told = new ArrayList<>();
  private final AtomicInteger freed = new AtomicInteger();
  private final NodeBytes node = new NodeBytes("n1", 1000, freed::incrementAndGet);

  private NodeBytes.Lease take(String name, long bytes) {
    return node.take(bytes, lease -> told.add(name));
  }

  @Test
  void letsInWhatFitsAndTheRestInOrder() {
    NodeBytes.Lease first = take("first", 600);
    NodeBytes.Lease large = take("large", 500);
    NodeBytes.Lease small = take("small", 10);
    assertThat(first.held()).isTrue();
    assertThat(large.held() || small.held()).as("nobody passes who waits").isFalse();
    assertThat(node.waiting()).isEqualTo(2);
    assertThat(node.hasRoom()).isFalse();

    first.answered();
    assertThat(told).containsExactly("large", "small");
    assertThat(node.underWay()).isEqualTo(510);
    assertThat(node.hasRoom()).isTrue();
    assertThat(freed).hasValue(1);
  }

  @Test
  void letsInAloneWhatIsLargerThanTheLimit() {
    NodeBytes.Lease small = take("small", 1);
    NodeBytes.Lease huge = take("huge", 5000);
    assertThat(huge.held()).isFalse();
    small.close();
    assertThat(huge.held()).isTrue();
    huge.answered();
    assertThat(node.underWay()).isZero();
  }

  @Test
  void givesBackOnce() {
    NodeBytes.Lease first = take("first", 600);
    take("second", 300);
    first.answered();
    first.close();
    first.refused(0);
    assertThat(node.underWay()).isEqualTo(300);
    assertThat(first.held()).isFalse();
  }

  @Test
  void whoLeavesLetsThoseBehindPass() {
    take("first", 600);
    NodeBytes.Lease large = take("large", 900);
    take("small", 100);
    large.close();
    assertThat(told).containsExactly("small");
    assertThat(node.underWay()).isEqualTo(700);
  }

  @Test
  void aRefusalLowersTheLimitOnceForAllThatWasSentBefore() {
    List<NodeBytes.Lease> sent = List.of(take("a", 100), take("b", 100), take("c", 100));
    sent.forEach(lease -> lease.refused(0));
    assertThat(node.limit()).isEqualTo(700);
    take("d", 100).refused(0);
    assertThat(node.limit()).isBetween(489L, 490L);
    for (int refusals = 0; refusals < 50; refusals++) {
      take("e", 1).refused(0);
    }
    assertThat(node.limit()).as("never nothing").isEqualTo(62);
    for (int answers = 0; answers < 100; answers++) {
      take("f", 1).answered();
    }
    assertThat(node.limit()).as("as before").isEqualTo(1000);
  }

  @Test
  void neverSendsMuchOfWhatTheNodeSaysThatItTakes() {
    take("a", 100).refused(500);
    for (int answers = 0; answers < 100; answers++) {
      take("b", 1).answered();
    }
    assertThat(node.limit()).isEqualTo(200);
  }

  @Test
  void aHigherLimitLetsInWhoWaits() {
    take("first", 600);
    NodeBytes.Lease second = take("second", 600);
    node.use(2000);
    assertThat(second.held()).isTrue();
    assertThat(told).containsExactly("second");
  }

  /** Whatever becomes of the pieces: the bound holds, nobody starves, and all comes back. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void allComesBackWhateverBecomesOfThem(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<NodeBytes.Lease> open = new ArrayList<>();
    List<NodeBytes.Lease> inOrder = new ArrayList<>();
    AtomicInteger letIn = new AtomicInteger();
    for (int step = 0; step < 20_000; step++) {
      if (open.isEmpty() || random.nextInt(100) < 48) {
        long bytes = random.nextInt(10) == 0 ? random.nextLong(3000) : random.nextLong(300);
        NodeBytes.Lease lease =
            node.take(
                bytes,
                held -> {
                  assertThat(held).as("first come, first in").isSameAs(inOrder.removeFirst());
                  letIn.incrementAndGet();
                });
        open.add(lease);
        if (!lease.held()) {
          inOrder.add(lease);
        }
      } else {
        NodeBytes.Lease lease = open.remove(random.nextInt(open.size()));
        inOrder.remove(lease);
        switch (random.nextInt(4)) {
          case 0 -> lease.refused(random.nextInt(5) == 0 ? 1500 + random.nextLong(3000) : 0);
          case 1 -> lease.close();
          default -> lease.answered();
        }
      }
      if (random.nextInt(1000) == 0) {
        node.use(500 + random.nextLong(1000));
      }
      assertThat(node.waiting()).isEqualTo(inOrder.size());
      assertThat(node.waiting() > 0 && node.underWay() == 0).as("waits for nothing").isFalse();
    }
    assertThat(letIn.get()).isGreaterThan(100);
    while (!open.isEmpty()) {
      NodeBytes.Lease held = open.stream().filter(NodeBytes.Lease::held).findFirst().orElseThrow();
      open.remove(held);
      held.answered();
    }
    assertThat(node.underWay()).isZero();
    assertThat(node.waiting()).isZero();
  }

  @Test
  void allComesBackOnManyThreads() throws Exception {
    int threads = 4;
    int each = 5_000;
    AtomicInteger heard = new AtomicInteger();
    AtomicInteger held = new AtomicInteger();
    Queue<NodeBytes.Lease> granted = new ConcurrentLinkedQueue<>();
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
                NodeBytes.Lease lease =
                    node.take(
                        random.nextLong(700),
                        late -> {
                          heard.incrementAndGet();
                          granted.add(late);
                        });
                if (givesUp) {
                  lease.close();
                } else if (lease.held()) {
                  held.incrementAndGet();
                  lease.answered();
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
    assertThat(node.underWay()).isZero();
    assertThat(node.waiting()).isZero();
    assertThat(held.get()).isPositive();
  }

  /** In tasks of its own, as event loops do: whoever is granted bytes does not end them at once. */
  private static void answer(Queue<NodeBytes.Lease> granted) {
    for (NodeBytes.Lease one = granted.poll(); one != null; one = granted.poll()) {
      one.answered();
    }
  }
}
