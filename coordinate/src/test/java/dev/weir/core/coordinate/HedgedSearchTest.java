package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.protocol.NodeCallException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

class HedgedSearchTest {
  private static final Exception BAD = new OpenSearchException("bad");

  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  @BeforeEach
  void hedge() {
    world.tail.hedges = true;
    search.repeatable = true;
    search.plan = view -> plan(shards("n1,n2,n3"));
  }

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private Sent to(String nodeId) {
    return world.sender.sent.stream()
        .filter(one -> one.nodeId.equals(nodeId) && one.call.action().startsWith("query"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("got " + actions() + " (expected: " + nodeId + ")"));
  }

  private List<String> actions() {
    return world.sender.actions();
  }

  private String outcome() {
    return search.log.getLast();
  }

  @Test
  void asksTheNextCopyWhenTheFirstIsLateAndTakesTheFirstAnswer() {
    start();
    world.pass();
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 0");
    to("n2").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(actions()).contains("n1 ban query 0").doesNotContain("n2 ban query 0");
    assertThat(world.tail.log)
        .containsExactly("n1 BEST", "n2 HEDGE", "answered", "hedge WON", "abandoned");
  }

  @Test
  void leaveNoTimerBehindWhenAllShardsHaveAnswered() {
    start();
    assertThat(world.isWaiting()).isTrue();
    to("n1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void freeTheLosersContextOnce() {
    start();
    world.pass();
    assertThat(to("n1").isResultUsed()).isTrue();
    to("n2").reply("ok");
    assertThat(to("n1").isResultUsed()).as("after another copy has answered").isFalse();
    assertThat(actions()).doesNotContain("n1 free 0 of n1");
    to("n1").reply("late");
    assertThat(actions()).containsOnlyOnce("n1 free 0 of n1").containsOnlyOnce("n2 free 0");
    assertThat(search.log).containsOnlyOnce("answer 1/1/0");
  }

  @Test
  void freeTheContextOfALoserRefusedForMemory() {
    start();
    world.pass();
    to("n2").reply("ok");
    to("n1").fail(NodeCallException.Kind.OVER_BUDGET, BAD);
    assertThat(actions()).containsOnlyOnce("n1 free 0 of n1");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void cancelsTheSecondWhenTheFirstAnswers() {
    start();
    world.pass();
    to("n1").reply("ok");
    assertThat(actions()).contains("n2 ban query 0").doesNotContain("n1 ban query 0");
    to("n2").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(search.failureCount()).isZero();
    assertThat(world.tail.log).contains("hedge LOST");
  }

  @Test
  void keepTheShardAliveWhileOneAttemptRuns() {
    start();
    world.pass();
    to("n2").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 0");
    to("n1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(search.failureCount()).isZero();
    assertThat(world.tail.log).contains("hedge FAILED");
  }

  @Test
  void continueWithTheSecondAttemptWhenTheFirstFails() {
    start();
    world.pass();
    to("n1").fail(NodeCallException.Kind.CONNECTION_LOST, BAD);
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 0");
    to("n2").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(world.tail.log).contains("hedge WON");
  }

  @Test
  void asksTheThirdCopyWhenBothFail() {
    start();
    world.pass();
    to("n1").fail(NodeCallException.Kind.REMOTE, BAD);
    to("n2").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 0", "n3 query 0");
    to("n3").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("fail query: all shards failed");
  }

  @Test
  void cancellingCancelsBoth() {
    start();
    world.pass();
    world.context.cancel("gone");
    assertThat(actions()).contains("n1 ban query 0", "n2 ban query 0");
    to("n1").reply("ok");
    to("n2").reply("ok");
    assertThat(actions().stream().filter(one -> one.contains(" free "))).hasSize(2);
  }

  @Test
  void looksAgainWhileTheSecondMayNotGo() {
    world.tail.goes = false;
    start();
    world.pass();
    assertThat(actions()).containsExactly("n1 query 0");
    world.tail.goes = true;
    world.pass();
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 0");
  }

  @Test
  void keepsTheBoundOfRequestsOnANode() {
    SearchRules one = new SearchRules(1, true, false, false);
    search.plan = view -> plan(shards("n1,n2", "n2,n3", "n3,n1"), one);
    start();
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 1", "n3 query 2");
    world.pass();
    assertThat(actions()).hasSize(3);
    to("n2").reply("ok");
    world.pass();
    assertThat(actions()).contains("n2 query 0");
  }

  @Test
  void neverHedgeAStatefulRound() {
    search.repeatable = false;
    start();
    assertThat(world.isWaiting()).isFalse();
    world.context.cancel("gone");
    assertThat(actions()).containsExactly("n1 query 0", "n1 ban");
  }

  @Test
  void failsTheShardWhenNoRetryIsLeft() {
    world.tail.hedges = false;
    world.tail.retries = false;
    start();
    to("n1").fail(NodeCallException.Kind.CONNECTION_LOST, BAD);
    assertThat(actions()).containsExactly("n1 query 0");
    assertThat(outcome()).isEqualTo("fail query: all shards failed");
  }
}
