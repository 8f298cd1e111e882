package dev.weir.cluster.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.RandomStateChanges;
import dev.weir.testkit.junit.TestSeed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;

final class MovingIndicesTest {
  private final Random random = TestSeed.random(MovingIndicesTest.class);
  private final MovingIndices moving = new MovingIndices();

  @Test
  void findTheMovingIndicesOfEachState() {
    RandomStateChanges changes = new RandomStateChanges(random);
    ClusterState state = RandomStateChanges.start(5, 30);
    BucketedMap<IndexRoutingTable> routing = BucketedMap.empty();
    for (int step = 0; step < 500; step++) {
      state = changes.next(state);
      Map<String, IndexRoutingTable> now = state.routingTable().indicesRouting();
      Set<String> removed = new HashSet<>(routing.keySet());
      removed.removeAll(now.keySet());
      BucketedMap<IndexRoutingTable> before = routing;
      Map<String, IndexRoutingTable> changed = new HashMap<>(now);
      changed
          .entrySet()
          .removeIf(entry -> Identity.isSame(before.get(entry.getKey()), entry.getValue()));
      routing = routing.with(changed, removed);
      moving.update(routing);

      Set<String> expected = new HashSet<>();
      for (IndexRoutingTable table : state.routingTable()) {
        if (table.shards().values().stream()
            .flatMap(shard -> shard.shards().stream())
            .anyMatch(MovingIndicesTest::isMoving)) {
          expected.add(table.getIndex().getName());
        }
      }
      assertThat(moving.next(1000)).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(moving.isEmpty()).isEqualTo(expected.isEmpty());
    }
  }

  private static boolean isMoving(ShardRouting copy) {
    return copy.relocating() || copy.initializing();
  }

  @Test
  void returnAllInTurn() {
    RandomStateChanges changes = new RandomStateChanges(random);
    ClusterState state = RandomStateChanges.start(5, 30);
    while (true) {
      state = changes.next(state);
      moving.update(BucketedMap.copyOf(state.routingTable().indicesRouting()));
      if (moving.next(100).size() > 5) {
        break;
      }
    }
    int count = moving.next(100).size();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < (count + 1) / 2; i++) {
      List<String> next = moving.next(2);
      assertThat(next).hasSize(2);
      seen.addAll(next);
    }
    assertThat(seen).hasSize(count);
  }
}
