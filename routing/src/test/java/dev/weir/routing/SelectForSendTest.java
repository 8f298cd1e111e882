package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The final choice among equivalent copies, right before a request is sent. */
final class SelectForSendTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  private ShardCopy select(List<ShardCopy> copies, boolean fresh) {
    return bench.selector.forPolicy(bench.requests()).selectForSend(copies, Phase.QUERY, 0, fresh);
  }

  @Test
  void shardsOfOneSearchGoWhereTheOthersDidNot() {
    bench.warm("a", 2);
    bench.warm("b", 2.4);
    List<ShardCopy> planned = bench.selector.order(SelectorFixture.copies("a", "b"), Phase.QUERY);
    assertThat(planned.getFirst().nodeId()).isEqualTo("a");
    int onSlower = 0;
    for (int shard = 0; shard < 20; shard++) {
      ShardCopy copy = select(planned, true);
      bench.send(copy.nodeId());
      onSlower += copy.nodeId().equals("b") ? 1 : 0;
    }
    assertThat(onSlower).isBetween(5, 15);
  }

  @Test
  void sendsTheTrialRequestOfAnEjectedNodeOnlyWhereItWasRankedJustNow() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(select(copies, true)).as("still ejected").isEqualTo(copies.get(1));
    bench.pass(700);
    bench.answer("b", 2, 0, 2);
    assertThat(select(copies, false)).as("ordered before it was ejected").isEqualTo(copies.get(1));
    assertThat(select(copies, true)).as("put first to be tried out").isEqualTo(copies.getFirst());
    bench.send("a");
    assertThat(select(copies, true)).as("the probe is sent").isEqualTo(copies.get(1));
  }

  @Test
  void leaveTheProbeToAShardThatIsSent() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    bench.pass(700);
    bench.answer("b", 2, 0, 2);
    for (int pruned = 0; pruned < 20; pruned++) {
      assertThat(bench.first("a", "b")).isEqualTo("a");
    }
    assertThat(bench.tracker.state("a", Phase.QUERY).failures().ejections()).isEqualTo(1);
  }

  @Test
  void preferAFullSlowStartToAnEjectedNode() {
    bench.warm("a", 2);
    bench.answer("b", 2, 0, 2);
    bench.send("b");
    bench.send("b");
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(select(copies, false)).isEqualTo(copies.get(1));
  }

  @Test
  void keepsTheFirstCopyWhereAllNodesAreEjected() {
    for (String node : List.of("a", "b")) {
      for (int i = 0; i < 3; i++) {
        bench.send(node).onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      }
    }
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(select(copies, false)).isEqualTo(copies.getFirst());
  }

  @Test
  void keepsTheOrderOfAPolicyThatDoesNotScore() {
    bench.use(RoutingPolicies.of(Algorithm.ROUND_ROBIN, 0));
    bench.warm("a", 20);
    bench.warm("b", 2);
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(select(copies, false)).isEqualTo(copies.getFirst());
  }
}
