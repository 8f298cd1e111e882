package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

/** The loss of a node that holds a search context, between query and fetch phase. */
class FetchNodeLossTest {
  private static final Exception GONE = new OpenSearchException("gone");

  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  @BeforeEach
  void twoShardsOnTwoCopies() {
    search.plan = view -> plan(shards("n1,n2", "n3,n1"));
    search.fetchedFrom = Set.of(0, 1);
  }

  @AfterEach
  void freesNothingTwice() {
    assertThat(actions(" free ")).doesNotHaveDuplicates();
  }

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private Sent sent(String action) {
    return world.sender.sent(action);
  }

  private List<String> actions(String part) {
    return world.sender.actions(part);
  }

  private String outcome() {
    return search.log.getLast();
  }

  private void reply(String... actions) {
    for (String action : actions) {
      sent(action).reply("ok");
    }
  }

  private void lose(String action) {
    sent(action).fail(NodeCallException.Kind.CONNECTION_LOST, GONE);
  }

  /** The next attempt has new contexts. */
  private void forgetFreed() {
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
  }

  @Test
  void startsOverOnOtherCopiesAndAnswersWhole() {
    world.views.comes(2);
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    assertThat(actions("query")).as("while a fetch is under way").hasSize(2);
    reply("fetch 1");
    assertThat(search.log).containsSubsequence("reduce", "abandon", "prepare 2");
    assertThat(actions("query"))
        .containsExactly("n1 query 0", "n3 query 1", "n2 query 0", "n3 query 1");
    reply("query 0", "query 1", "fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(search.failureCount()).isZero();
    assertThat(world.tail.log).containsOnlyOnce("lost: gone");
    assertThat(world.views.refreshes).isEqualTo(1);
  }

  @Test
  void saysThatTheAnswersOfTheFirstAttemptCountNoMore() {
    List<String> told = new ArrayList<>();
    List<PlannedShard> planned =
        shards("n1,n2", "n3,n1").stream()
            .map(shard ->
                new PlannedShard(
                    shard.ordinal(), shard.nodeIds(), false, List.of(), new Notes(shard, told)))
            .toList();
    search.plan = view -> plan(planned);
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    assertThat(told).doesNotContain("1 started over [n1]");
    reply("fetch 1");
    reply("query 0", "query 1", "fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(told.stream().filter(one -> !one.contains("asked")).distinct())
        .containsExactly(
            "0 n1 ANSWERED",
            "1 n3 ANSWERED",
            "0 started over [n1]",
            "1 started over [n1]",
            "0 n2 ANSWERED");
  }

  /** Records every call. */
  private record Notes(PlannedShard shard, List<String> told) implements ShardRoutingRecorder {
    @Override
    public void recordAttempt(String phase, String nodeId, Reason why) {
      told.add(shard.ordinal() + " asked " + nodeId);
    }

    @Override
    public void recordOutcome(String nodeId, Outcome outcome) {
      told.add(shard.ordinal() + " " + nodeId + " " + outcome);
    }

    @Override
    public void recordRestart(Set<String> lostNodeIds) {
      told.add(shard.ordinal() + " started over " + lostNodeIds);
    }
  }

  @Test
  void freeContextsOfTheFirstAttemptOnOtherNodes() {
    search.fetchedFrom = Set.of(0);
    search.dfs = true;
    start();
    reply("dfs 0", "dfs 1");
    lose("dfs_query 0");
    reply("dfs_query 1");
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n3 free 1");
    assertThat(actions(" dfs ")).endsWith("n2 dfs 0", "n3 dfs 1");
    forgetFreed();
    reply("dfs 0", "dfs 1", "dfs_query 0", "dfs_query 1", "fetch 0");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(actions(" free ")).containsExactly("n3 free 1");
  }

  @Test
  void answersWithoutTheShardWhenTheSecondAttemptLosesToo() {
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1", "query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(search.log).containsOnlyOnce("abandon");
  }

  @Test
  void failsWhenTheSecondAttemptLosesAll() {
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    lose("fetch 1");
    assertThat(actions("query")).endsWith("n2 query 0", "n3 query 1");
    forgetFreed();
    reply("query 0", "query 1");
    lose("fetch 0");
    lose("fetch 1");
    assertThat(outcome()).isEqualTo("fail fetch: all shards failed");
    assertThat(world.tail.log).containsOnlyOnce("lost: gone");
  }

  @Test
  void asksTheLostNodeWhenThereIsNoOther() {
    search.plan = view -> plan(shards("n1", "n3"));
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1");
    assertThat(actions("query")).endsWith("n1 query 0", "n3 query 1");
  }

  @Test
  void answersWithoutTheShardWhenTheBudgetGrantsNothing() {
    world.tail.startsOver = false;
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(search.log).doesNotContain("abandon");
  }

  @Test
  void answersWithoutTheShardWhenItsContextHadToStayWhereItWas() {
    search.bound = true;
    start();
    reply("query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(world.tail.log).doesNotContain("lost: gone");
  }

  @Test
  void answersWithoutTheShardWhenANodeOnlyFails() {
    start();
    reply("query 0", "query 1");
    sent("fetch 0").fail(NodeCallException.Kind.REMOTE, GONE);
    reply("fetch 1");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(search.log).doesNotContain("abandon");
  }

  @Test
  void doesNotStartOverWhenItsTimeIsOver() {
    search.cancelAfter = Duration.ofSeconds(3);
    start();
    reply("query 0", "query 1");
    world.pass();
    lose("fetch 0");
    lose("fetch 1");
    assertThat(search.log).contains("cancel: too late").doesNotContain("abandon");
    assertThat(outcome()).isEqualTo("fail fetch: all shards failed");
    assertThat(actions("query")).hasSize(2);
  }

  @Test
  void startsOverAfterItHadLookedForAShardThatMoved() {
    world.views.comes(2);
    search.plan =
        view -> plan(view.state().version() == 1 ? shards("n9", "n3") : shards("n1,n2", "n3"));
    start();
    reply("query 1");
    sent("query 0")
        .fail(NodeCallException.Kind.REMOTE, new OpenSearchException(ScriptedSearch.MOVED));
    reply("query 0", "query 1");
    lose("fetch 0");
    reply("fetch 1");
    assertThat(actions("query")).endsWith("n2 query 0", "n3 query 1");
    forgetFreed();
    reply("query 0", "query 1", "fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
  }
}
