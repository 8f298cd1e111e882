package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.free;
import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.protocol.NodeCallException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches with a bound on the outstanding calls per node. */
class NodePermitsSearchTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  private void start(String... shards) {
    search.plan = view -> plan(free(shards));
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private String outcome() {
    return search.log.getLast();
  }

  @Test
  void asksTheCopyThatIsBestWhenItIsSent() {
    world.selector.preferredNode = "n2";
    start("n1,n2,n3");
    assertThat(world.sender.nodes()).containsExactly("n2");
    world.sender.last().reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void triesTheOtherCopiesInPlannedOrderAfterAFailure() {
    world.selector.preferredNode = "n2";
    start("n1,n2,n3");
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(world.sender.nodes()).containsExactly("n2", "n1", "n3");
    world.sender.last().reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void waitForTheBestCopyInsteadOfUsingAWorseOne() {
    String[] shards = new String[6];
    Arrays.fill(shards, "good,bad");
    search.plan = view -> plan(free(shards), new SearchRules(2, true, false, false));
    SearchCoordinator.start(world.environment, search, world.context);
    assertThat(world.sender.nodes()).containsExactly("good", "good");
    world.sender.last().reply("ok");
    assertThat(world.sender.nodes()).containsOnly("good").hasSize(3);
  }

  /** Every search ends, for any order of responses and failures. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void releaseAllPermitsForAnyOutcome(long seed) {
    Random random = new Random(seed);
    int permits = 1 + random.nextInt(3);
    String[] shards = new String[25];
    List<String> nodes = new ArrayList<>(List.of("n1", "n2", "n3", "n4"));
    for (int shard = 0; shard < shards.length; shard++) {
      Collections.shuffle(nodes, random);
      shards[shard] = String.join(",", nodes.subList(0, 2 + random.nextInt(2)));
    }
    search.plan = view -> plan(free(shards), new SearchRules(permits, true, false, false));
    SearchCoordinator.start(world.environment, search, world.context);
    List<Sent> open = new ArrayList<>();
    int seen = 0;
    for (int step = 0; !outcome().startsWith("answer"); step++) {
      assertThat(step).as("it hangs: " + search.log).isLessThan(5_000);
      while (seen < world.sender.sent.size()) {
        Sent one = world.sender.sent.get(seen++);
        if (!one.call.action().startsWith("free")) {
          open.add(one);
        }
      }
      for (String node : nodes) {
        assertThat(open.stream().filter(one -> one.nodeId.equals(node)).count())
            .isLessThanOrEqualTo(permits);
      }
      world.selector.preferredNode = nodes.get(random.nextInt(nodes.size()));
      if (!open.isEmpty()) {
        Sent one = open.remove(random.nextInt(open.size()));
        if (random.nextInt(10) == 0) {
          one.fail(NodeCallException.Kind.REMOTE);
        } else {
          one.reply("ok");
        }
      }
    }
  }
}
