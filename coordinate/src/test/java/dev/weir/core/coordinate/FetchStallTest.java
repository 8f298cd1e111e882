package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that holds a search context and stops responding between query and fetch phase. */
class FetchStallTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  @BeforeEach
  void twoShardsOnTwoCopies() {
    search.plan = view -> plan(shards("n1,n2", "n3,n2"));
    search.fetchedFrom = Set.of(0, 1);
    world.tail.hedges = true;
    world.tail.stalls = true;
  }

  @AfterEach
  void freesNothingTwice() {
    assertThat(world.sender.actions(" free ")).doesNotHaveDuplicates();
  }

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private Sent sent(String action) {
    return world.sender.sent(action);
  }

  private void reply(String... actions) {
    for (String action : actions) {
      sent(action).reply("ok");
    }
  }

  private String outcome() {
    return search.log.getLast();
  }

  @Test
  void startsOverOnOtherCopiesWithoutANewView() {
    start();
    reply("query 0", "query 1", "fetch 1");
    world.pass();
    assertThat(world.tail.log).containsOnlyOnce("stalled: 2").containsOnlyOnce("abandoned");
    assertThat(world.sender.actions("query"))
        .containsExactly("n1 query 0", "n3 query 1", "n2 query 0", "n3 query 1");
    assertThat(world.sender.actions(" free ")).containsExactly("n1 free 0");
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("query 0", "query 1", "fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(world.views.refreshes).isZero();
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void repliesToAbandonedFetchesCountNoMore() {
    start();
    reply("query 0", "query 1");
    Sent stalled = sent("fetch 0");
    Sent other = sent("fetch 1");
    world.tail.stalls = false;
    world.pass();
    assertThat(world.sender.actions("query")).as("nodes respond").hasSize(2);
    world.tail.stalls = true;
    world.pass();
    assertThat(world.tail.log).as("both calls").contains("abandoned", "abandoned");
    stalled.reply("ok");
    other.fail(NodeCallException.Kind.CONNECTION_LOST);
    reply("query 0", "query 1");
    world.tail.stalls = false;
    reply("fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(search.failureCount()).isZero();
  }

  /** A fetch that is written later would be written from memory that others use by then. */
  @Test
  void forgetsFetchesThatWaitForAConnection() {
    start();
    reply("query 0", "query 1");
    world.sender.unconnectedNodes.add("n1");
    Sent unwritten = sent("fetch 0");
    Sent written = sent("fetch 1");
    world.pass();
    assertThat(unwritten.isAbandoned).isTrue();
    assertThat(written.isAbandoned).isFalse();
    assertThat(world.tail.log).containsOnlyOnce("abandoned");
  }

  /** A node keeps a ban for a call that it never gets, until it restarts. */
  @Test
  void cancelsNothingThatWasNeverWritten() {
    start();
    reply("query 0", "query 1");
    world.sender.unconnectedNodes.add("n1");
    world.pass();
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    world.context.cancel("gone");
    assertThat(world.sender.actions("ban")).isNotEmpty().noneMatch(call -> call.startsWith("n1"));
  }

  @Test
  void startsOverOnce() {
    start();
    reply("query 0", "query 1");
    world.pass();
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("query 0", "query 1");
    assertThat(world.isWaiting()).as("a second check").isFalse();
    reply("fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(search.log).containsOnlyOnce("abandon");
  }

  @Test
  void waitsAsLongAsTheQueryPhaseTook() {
    start();
    world.advance(Duration.ofMillis(40));
    reply("query 0", "query 1");
    assertThat(world.pauses.getLast()).isEqualTo(Duration.ofMillis(40));
    reply("fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void checksLessAndLessOftenWhileTheBudgetGrantsNothing() {
    world.tail.startsOver = false;
    start();
    reply("query 0", "query 1");
    world.pauses.clear();
    for (int i = 0; i < 6; i++) {
      world.pass();
    }
    assertThat(world.pauses)
        .extracting(Duration::toMillis)
        .isEqualTo(List.of(3L, 6L, 12L, 24L, 24L, 24L));
    reply("fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void waitsWhenAShardHasNoOtherCopy() {
    search.plan = view -> plan(shards("n1,n3", "n3,n1"));
    start();
    reply("query 0", "query 1");
    world.pass();
    assertThat(world.tail.log).doesNotContain("stalled: 2");
    reply("fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
  }

  @Test
  void waitsWhenTheOtherCopyDoesNotRespondEither() {
    world.tail.silentNodes.add("n2");
    start();
    reply("query 0", "query 1");
    world.pass();
    assertThat(world.tail.log).doesNotContain("stalled: 2");
    world.tail.silentNodes.clear();
    world.pass();
    assertThat(world.tail.log).contains("stalled: 2");
  }

  @Test
  void waitsWhenTheOtherCopyMustNotReplaceALateOne() {
    search.reservedNodes.add("n2");
    start();
    reply("query 0", "query 1");
    world.pass();
    assertThat(world.tail.log).doesNotContain("stalled: 2");
  }

  @Test
  void holdsItsPermitUntilItHasEnded() {
    start();
    reply("query 0", "query 1");
    world.pass();
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("query 0", "query 1", "fetch 0");
    assertThat(world.tail.log).contains("stalled: 2").doesNotContain("restart ended");
    reply("fetch 1");
    assertThat(world.tail.log).containsOnlyOnce("restart ended");
  }

  @Test
  void waitsWhenContextsHaveToStayWhereTheyAre() {
    search.bound = true;
    start();
    reply("query 0", "query 1");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void waitsWhenHedgingIsDisabled() {
    world.tail.hedges = false;
    start();
    reply("query 0", "query 1");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void startsTheQueryAfterDfsOver() {
    search.dfs = true;
    search.fetchedFrom = Set.of(0);
    start();
    reply("dfs 0", "dfs 1", "dfs_query 1");
    world.pass();
    assertThat(world.sender.actions(" dfs ")).endsWith("n2 dfs 0", "n3 dfs 1");
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("dfs 0", "dfs 1", "dfs_query 0", "dfs_query 1", "fetch 0");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
  }

  @Test
  void continueWhenTheAbandonedAttemptCantSucceed() {
    search.dfs = true;
    search.fetchedFrom = Set.of(0);
    start();
    reply("dfs 0", "dfs 1", "dfs_query 1");
    Consumer<String> abandoned = search.hopeless;
    world.pass();
    abandoned.accept("its reduction failed");
    assertThat(search.log).noneMatch(one -> one.startsWith("cancel"));
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("dfs 0", "dfs 1", "dfs_query 0", "dfs_query 1", "fetch 0");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
  }

  @Test
  void answersWholeWhenTheSecondAttemptFindsALostNode() {
    start();
    reply("query 0", "query 1");
    world.pass();
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    reply("query 1");
    sent("query 0").fail(NodeCallException.Kind.CONNECTION_LOST);
    reply("query 0", "fetch 0", "fetch 1");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
  }

  @Test
  void doesNotStartOverAfterACancellation() {
    start();
    reply("query 0", "query 1");
    world.context.cancel("the client is gone");
    world.pass();
    assertThat(world.sender.actions("query")).hasSize(2);
    assertThat(search.log).doesNotContain("abandon");
  }

  @Test
  void givesEachNodeItsOwnTime() {
    world.tail.stallDelaysNanos.addAll(List.of(3_000_000L, 1_000_000_000L));
    start();
    reply("query 0", "query 1", "fetch 0");
    long began = world.environment.nanoClock().getAsLong();
    world.pass();
    assertThat(world.tail.log).as("after the time of the other call").doesNotContain("stalled: 2");
    for (int i = 0; i < 100 && !world.tail.log.contains("stalled: 2"); i++) {
      world.pass();
    }
    assertThat(world.tail.log).contains("stalled: 2");
    assertThat(world.environment.nanoClock().getAsLong() - began)
        .isGreaterThanOrEqualTo(1_000_000_000L);
  }

  @Test
  void waitsWhenTheOtherCopyIsOnALostNode() {
    search.plan = view -> plan(shards("n1,n3", "n3,n2"));
    start();
    reply("query 0", "query 1");
    sent("fetch 1").fail(NodeCallException.Kind.CONNECTION_LOST);
    world.pass();
    assertThat(world.tail.log).doesNotContain("stalled: 2");
  }
}
