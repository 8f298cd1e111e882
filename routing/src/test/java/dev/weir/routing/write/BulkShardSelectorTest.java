package dev.weir.routing.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.Phase;
import dev.weir.routing.NodeLoadRecorder.Failure;
import dev.weir.routing.NodeLoadRecorder.OutstandingRequest;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.RoutingPolicies;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The choice of shards by what the tracker has learned of the nodes. */
final class BulkShardSelectorTest {
  private static final WriteVolume AMOUNT = new WriteVolume(10, 10_000);

  /** The primaries of both shards are on a; b has a replica only. */
  private static final String[][] COPIES = {{"a", "c"}, {"a", "b"}};

  private final Random random = new Random(5);
  private long now = TimeUnit.HOURS.toNanos(1);
  private final NodeLoadTracker tracker =
      new NodeLoadTracker(RoutingPolicies.PLAIN, () -> now, random);
  private final BulkShardSelector selector = new BulkShardSelector(tracker, () -> now, random);

  private void answer(String node, Phase phase) {
    OutstandingRequest sent = tracker.startRequest(node, phase);
    long nanos = 5_000_000L + random.nextInt(1000);
    now += nanos;
    sent.onResponse(0, nanos);
  }

  private int[] place(int bulks) {
    int[] placed = new int[COPIES.length];
    for (int i = 0; i < bulks; i++) {
      int shard = selector.choose("logs", COPIES, AMOUNT, BulkPolicy.ShardSelection.BALANCED);
      selector.recordPlacement("logs", COPIES.length, shard, AMOUNT);
      placed[shard]++;
    }
    return placed;
  }

  @Test
  void writeToTheReplicasOfANodeThatCanBeReachedAgain() {
    for (int i = 0; i < 10; i++) {
      answer("a", Phase.WRITE);
      answer("c", Phase.WRITE);
    }
    tracker.startRequest("a", Phase.WRITE); // so that no bulk tests the node
    for (int i = 0; i < 3; i++) {
      tracker.startRequest("b", Phase.QUERY).onFailure(Failure.UNREACHABLE);
    }
    assertThat(place(20)).as("while b is ejected").containsExactly(20, 0);
    answer("b", Phase.QUERY);
    int[] placed = place(2000);
    assertThat(20 + placed[0]).isBetween(980, 1040);
    assertThat(placed[1]).isBetween(980, 1040);
  }
}
