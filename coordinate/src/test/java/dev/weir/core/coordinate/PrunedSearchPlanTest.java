package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.protocol.NodeCallException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

/** A search skips pruned shards after the nodes have confirmed the bounds, and not before. */
class PrunedSearchPlanTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();
  private final List<Consumer<Boolean>> asked = new ArrayList<>();
  private int dropped;

  @BeforeEach
  void plans() {
    search.plan = view -> plan(shards("n1", "n2", ""));
    search.lean = new PrunedSearchPlan(lean(shards("n1", "n2", "")), asked::add);
  }

  private static SearchPlan lean(List<PlannedShard> all) {
    return plan(
        all.stream().map(shard -> shard.ordinal() == 1 ? shard : shard.skip(true)).toList());
  }

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  @Test
  void sendNothingBeforeTheConfirmation() {
    start();
    assertThat(asked).hasSize(1);
    assertThat(world.sender.actions()).isEmpty();
    asked.getFirst().accept(true);
    assertThat(world.sender.actions()).containsExactly("n2 query 1");
    world.sender.last().reply("ok");
    assertThat(search.log.getLast()).isEqualTo("answer 3/3/2");
    assertThat(world.views.refreshes).isZero(); // pruned shards need no copies
  }

  @Test
  void asksAllShardsWhereThatIsNotRight() {
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    asked.getFirst().accept(false);
    assertThat(world.sender.actions()).containsExactly("n1 query 0", "n2 query 1");
    world.sender.sent("query 0").reply("ok");
    world.sender.sent("query 1").reply("ok");
    assertThat(search.log.getLast()).isEqualTo("answer 2/2/0");
  }

  @Test
  void searchAllShardsAgainWhenAllOthersFail() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.lean = new PrunedSearchPlan(lean(shards("n1", "n2")), proof());
    start();
    asked.getFirst().accept(true);
    world.sender.last().fail(NodeCallException.Kind.REMOTE, new OpenSearchException("bad"));
    assertThat(dropped).isOne();
    assertThat(asked).hasSize(1);
    assertThat(world.sender.actions()).containsExactly("n2 query 1", "n1 query 0", "n2 query 1");
  }

  @Test
  void searchesAllShardsWhenNoneOfTheOthersHasACopy() {
    search.plan = view -> plan(shards("n1", ""));
    search.lean = new PrunedSearchPlan(lean(shards("n1", "")), proof());
    start();
    asked.getFirst().accept(true);
    assertThat(world.sender.actions()).containsExactly("n1 query 0");
    assertThat(dropped).isOne();
  }

  @Test
  void goesOnWhenOneOfSeveralShardsFails() {
    search.plan = view -> plan(shards("n1", "n2", "n3"));
    SearchPlan all = plan(shards("n1", "n2", "n3"));
    search.lean =
        new PrunedSearchPlan(
            plan(
                all.shards().stream()
                    .map(shard -> shard.ordinal() == 0 ? shard.skip(true) : shard)
                    .toList()),
            proof());
    start();
    asked.getFirst().accept(true);
    world
        .sender
        .sent("query 1")
        .fail(NodeCallException.Kind.REMOTE, new OpenSearchException("bad"));
    world.sender.sent("query 2").reply("ok");
    assertThat(dropped).isZero();
    assertThat(search.log.getLast()).startsWith("answer");
  }

  private PrunedSearchPlan.Proof proof() {
    return new PrunedSearchPlan.Proof() {
      @Override
      public void verify(Consumer<Boolean> told) {
        asked.add(told);
      }

      @Override
      public void onPlanDiscarded() {
        dropped++;
      }
    };
  }

  @Test
  void sendNothingAfterADisconnect() {
    start();
    world.context.cancel("gone");
    asked.getFirst().accept(true);
    assertThat(world.sender.actions("query")).isEmpty();
  }
}
