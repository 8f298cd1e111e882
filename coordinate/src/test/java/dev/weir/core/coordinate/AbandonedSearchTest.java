package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.model.Deadline;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

/** Searches after their timeout or their client's disconnect. */
class AbandonedSearchTest {
  private static final Exception BAD = new OpenSearchException("bad");

  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private Sent sent(String action) {
    return world.sender.sent(action);
  }

  private List<String> actions(String prefix) {
    return world.sender.actions(prefix);
  }

  private String outcome() {
    return search.log.getLast();
  }

  @AfterEach
  void freesNothingTwice() {
    assertThat(actions(" free ")).doesNotHaveDuplicates();
  }

  @Test
  void keepsContextsThatOutliveTheAnswerWhileItsClientIsThere() {
    search.kept = true;
    search.plan = view -> plan(shards("n1", "n2"));
    search.fetchedFrom = Set.of(0);
    start();
    sent("query 0").reply("ok");
    sent("query 1").reply("ok");
    sent("fetch 0").reply("ok");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    world.context.end();
    world.context.cancel("too late");
    assertThat(actions(" free ")).isEmpty();
  }

  @Test
  void freeContextsOfLateResponses() {
    search.kept = true;
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("query 0").reply("ok");
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 2/2/0");
    assertThat(actions(" free ")).isEmpty();
    world.context.abandon();
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n2 free 1");
  }

  @Test
  void freesContextsThatShardsOpenedAfterItsClientLeft() {
    search.kept = true;
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("query 0").reply("ok");
    world.context.cancel("client gone");
    sent("query 1").reply("ok");
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n2 free 1");
  }

  @Test
  void cancelsWhenItsTimeIsOver() {
    search.cancelAfter = Duration.ofSeconds(3);
    start();
    assertThat(world.pauses).containsExactly(Duration.ofSeconds(3));
    world.pass();
    assertThat(search.log).contains("cancel: too late");
    assertThat(actions("ban")).containsExactly("n1 ban");
    sent("query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("fail query: all shards failed");
  }

  @Test
  void banEachQueryThatMayBeHedgedOnce() {
    world.tail.hedges = true;
    search.repeatable = true;
    search.plan = view -> plan(shards("n1,n2", "n1,n2", "n2,n1"));
    start();
    world.context.cancel("gone");
    assertThat(actions(" ban"))
        .containsExactlyInAnyOrder("n1 ban query 0", "n1 ban query 1", "n2 ban query 2");
    for (int pauses = 0; pauses < 10; pauses++) {
      world.pass();
    }
    assertThat(actions(" ban")).as("later").hasSize(3);
  }

  /** The can-match of a shard has no task of its own: it ends before a ban could stop it. */
  @Test
  void banACanMatchRoundOnceForEachNode() {
    world.tail.hedges = true;
    search.repeatable = true;
    String[] copies = new String[300];
    Arrays.setAll(copies, shard -> "n" + shard % 3 + ",n" + (shard + 1) % 3);
    search.plan = view -> plan(shards(copies), new SearchRules(5, true, false, true));
    start();
    assertThat(actions("can_match")).hasSize(300);
    world.context.cancel("gone");
    assertThat(actions(" ban")).containsExactlyInAnyOrder("n0 ban", "n1 ban", "n2 ban");
  }

  @Test
  void sendsNothingAfterItsDeadlineAlsoWhenNoTimerHasRung() {
    world.context.limitDeadline(Deadline.after(0, Duration.ZERO, "a test"));
    start();
    assertThat(actions("query")).isEmpty();
    assertThat(outcome()).isEqualTo("fail query: all shards failed");
    assertThat(search.log).contains("cancel: the deadline of 0ms set by a test has passed");
  }

  @Test
  void reportThePassedDeadlineBeforeAPartialResponse() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.fetchedFrom = Set.of(0);
    world.context.limitDeadline(Deadline.after(0, Duration.ofSeconds(1), "a test"));
    world.context.setDeadlineExceededHandler(() -> search.log.add("overdue"));
    start();
    sent("query 0").reply("ok");
    world.advance(Duration.ofSeconds(1));
    assertThat(search.log).doesNotContain("overdue");
    sent("query 1").reply("ok");
    assertThat(actions("fetch")).isEmpty();
    assertThat(search.log).containsSubsequence("reduce", "overdue", "answer 1/2/0");
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n2 free 1");
  }

  @Test
  void answerWithPartialResultsAfterItsOwnTimeout() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.fetchedFrom = Set.of(0);
    search.cancelAfter = Duration.ofSeconds(1);
    world.context.limitDeadline(Deadline.after(0, Duration.ofSeconds(2), "a test"));
    world.context.setDeadlineExceededHandler(() -> search.log.add("overdue"));
    start();
    sent("query 0").reply("ok");
    world.advance(Duration.ofSeconds(1));
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(search.log).contains("cancel: too late").doesNotContain("overdue");
  }

  @Test
  void ignoreATimerOfAnUnfinishedPeriod() {
    search.cancelAfter = Duration.ofSeconds(3);
    start();
    sent("query 0").reply("ok");
    world.passAll();
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }
}
