package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens in whichever order: nothing is lost or sent twice, turns and bounds hold. */
final class LateBindingQueuePropertyTest {
  private static final int BOUND = 6;
  private static final RoutingPolicy ON =
      RoutingPolicies.binding(true, BOUND, Duration.ofMillis(200));
  private static final RoutingPolicy OFF =
      RoutingPolicies.binding(false, BOUND, Duration.ofMillis(200));
  private static final List<String> NODES = List.of("a", "b", "c", "d");

  private final SelectorFixture bench = new SelectorFixture(ON);
  private final List<CopyAssignment<Integer>> woken = new ArrayList<>();
  private final LateBindingQueue<Integer> late =
      new LateBindingQueue<>(bench.tracker, bench.selector, bench::now, this::woke);
  private final Map<Integer, CopyAssignment<Integer>> waiting = new HashMap<>();
  private final Set<Integer> sent = new HashSet<>();
  private final Set<Integer> left = new HashSet<>();
  private final List<NodeLoadRecorder.OutstandingRequest> underWay = new ArrayList<>();
  private Set<String> present = Set.copyOf(NODES);
  private int offered;
  private int everWaited;
  private long outOfTurnBefore;
  private boolean changing;

  /** Who would have been before it: waits for the same copies, costs the same, came earlier. */
  private void woke(CopyAssignment<Integer> place) {
    assertThat(waiting.remove(place.request())).as("woken once, while it waits").isSameAs(place);
    woken.add(place);
    if (outOfTurn() > outOfTurnBefore || changing) {
      return; // some did not fit any more, or waited too long
    }
    CopyAssignment<Integer> before =
        waiting.values().stream()
            .filter(other -> lane(other).equals(lane(place)))
            .filter(other -> other.request() < place.request())
            .filter(other -> other.copy() == null)
            .findAny()
            .orElse(null);
    assertThat(before).as("first come, first served").isNull();
  }

  private long outOfTurn() {
    return late.totals().overflowRequests() + late.totals().expiredRequests();
  }

  private static String lane(CopyAssignment<?> place) {
    Set<String> nodes = new TreeSet<>();
    place.copies.forEach(copy -> nodes.add(copy.nodeId()));
    return place.phase + " " + nodes + " " + place.costClass;
  }

  private void offer(Random random) {
    List<String> nodes = new ArrayList<>(present.isEmpty() ? NODES : present);
    Collections.shuffle(nodes, random);
    nodes = nodes.subList(0, 1 + random.nextInt(Math.min(3, nodes.size())));
    Phase phase = random.nextInt(5) == 0 ? Phase.GET : Phase.QUERY;
    int costClass = random.nextInt(2);
    List<ShardCopy> copies =
        bench.selector.order(
            SelectorFixture.copies(nodes.toArray(new String[0])), phase, costClass);
    int request = offered++;
    CopyAssignment<Integer> place =
        late.offer(request, copies, phase, costClass, true, bench.requests());
    ShardCopy copy = place.copy();
    if (copy == null) {
      waiting.put(request, place);
      everWaited++;
    } else {
      send(place, copy);
    }
  }

  private void send(CopyAssignment<Integer> place, ShardCopy copy) {
    assertThat(sent.add(place.request())).as("sent once").isTrue();
    assertThat(left).doesNotContain(place.request());
    underWay.add(bench.tracker.startRequest(copy.nodeId(), place.phase, place.costClass));
  }

  private void sendWoken(Random random) {
    if (!woken.isEmpty()) {
      CopyAssignment<Integer> place = woken.remove(random.nextInt(woken.size()));
      ShardCopy copy = Objects.requireNonNull(place.copy());
      if (random.nextInt(8) == 0) {
        late.abandon(place);
        left.add(place.request());
        assertThat(late.startSending(place)).isFalse();
      } else {
        assertThat(late.startSending(place)).isTrue();
        send(place, copy);
      }
    }
  }

  private void leave(Random random) {
    if (!waiting.isEmpty()) {
      List<Integer> all = new ArrayList<>(waiting.keySet());
      int request = all.get(random.nextInt(all.size()));
      CopyAssignment<Integer> place = Objects.requireNonNull(waiting.remove(request));
      left.add(request);
      late.abandon(place);
    }
  }

  private void settle(Random random) {
    if (!underWay.isEmpty()) {
      NodeLoadRecorder.OutstandingRequest one = underWay.remove(random.nextInt(underWay.size()));
      switch (random.nextInt(12)) {
        case 0 -> one.onAbandon();
        case 1 -> one.onFailure(NodeLoadRecorder.Failure.values()[random.nextInt(4)]);
        default -> one.onResponse(random.nextInt(4) - 1, 1_000_000 + random.nextInt(1_000_000));
      }
    }
  }

  private void changeNodes(Random random) {
    Set<String> now = new HashSet<>(NODES);
    if (random.nextBoolean()) {
      now.remove(NODES.get(random.nextInt(NODES.size())));
    }
    present = now;
    bench.tracker.retainOnly(now);
    changing = true;
    late.retainOnly(now);
    changing = false;
  }

  private void checkBounds() {
    assertThat(late.waitingCount()).isEqualTo(waiting.size());
    Map<Set<String>, Integer> bySet = new HashMap<>();
    for (CopyAssignment<Integer> place : waiting.values()) {
      Set<String> set = new TreeSet<>(Set.of(place.phase.name()));
      place.copies.forEach(copy -> set.add(copy.nodeId()));
      bySet.merge(set, 1, Integer::sum);
    }
    bySet.forEach((set, count) -> assertThat(count).isLessThanOrEqualTo(BOUND));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void nothingIsLostOrSentTwice(long seed) {
    Random random = new Random(seed);
    NODES.forEach(node -> bench.tracker.setThreadCount(node, Phase.QUERY, 2));
    NODES.forEach(node -> bench.tracker.setThreadCount(node, Phase.GET, 1));
    for (int step = 0; step < 6_000; step++) {
      outOfTurnBefore = outOfTurn();
      int what = random.nextInt(100);
      if (what < 42) {
        offer(random);
      } else if (what < 70) {
        settle(random);
      } else if (what < 90) {
        sendWoken(random);
      } else if (what < 93) {
        leave(random);
      } else if (what < 97) {
        late.tick();
      } else if (what < 98) {
        bench.use(random.nextInt(4) == 0 ? OFF : ON);
        late.tick();
      } else if (what < 99) {
        changeNodes(random);
      } else {
        bench.pass(random.nextInt(50));
      }
      if (step % 5 == 0) {
        checkBounds();
      }
    }
    end(random);
    assertThat(sent.size() + left.size()).isEqualTo(offered);
    assertThat(everWaited).as("the test tests something").isGreaterThan(100);
    assertThat(late.waitingCount()).isZero();
    assertThat(bench.tracker.outstanding()).isZero();
    for (String node : NODES) {
      for (Phase phase : Phase.values()) {
        assertThat(bench.tracker.state(node, phase).reserved()).isZero();
      }
    }
  }

  private void end(Random random) {
    bench.pass(201);
    late.tick();
    assertThat(late.waitingCount()).as("none waits for longer than the most").isZero();
    while (!woken.isEmpty()) {
      sendWoken(random);
    }
    while (!underWay.isEmpty()) {
      settle(random);
    }
    assertThat(waiting).isEmpty();
  }
}
