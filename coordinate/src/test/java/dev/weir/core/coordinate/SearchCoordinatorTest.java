package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.coordinate.ScriptedSender.Sent;
import dev.weir.core.coordinate.SearchWork.MatchedShard;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.protocol.NodeCallException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

class SearchCoordinatorTest {
  private static final Exception BAD = new OpenSearchException("bad");
  private static final Exception MOVED = new OpenSearchException(ScriptedSearch.MOVED);

  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  private void start() {
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private Sent sent(String action) {
    return world.sender.sent(action);
  }

  private List<String> actions() {
    return world.sender.actions();
  }

  private List<String> actions(String prefix) {
    return world.sender.actions(prefix);
  }

  private String outcome() {
    return search.log.getLast();
  }

  /** No context is freed twice, for any outcome. */
  @AfterEach
  void freesNothingTwice() {
    List<String> freed = actions(" free ");
    assertThat(freed).doesNotHaveDuplicates();
  }

  @Test
  void queriesTogetherAndFetchesAndFreesTogether() {
    search.plan = view -> plan(shards("n1", "n1", "n2", "n1"));
    search.fetchedFrom = Set.of(0, 1);
    start();
    assertThat(world.sender.batches)
        .containsExactly(List.of("n1 query 0", "n1 query 1", "n2 query 2", "n1 query 3"));
    for (int shard = 0; shard < 4; shard++) {
      sent("query " + shard).reply("ok");
    }
    assertThat(world.sender.batches.getLast())
        .containsExactlyInAnyOrder("n1 fetch 0", "n1 fetch 1", "n2 free 2", "n1 free 3");
    assertThat(sent("fetch 0").isDeferrable()).isFalse();
    assertThat(sent("free 2").isDeferrable()).isTrue();
    sent("fetch 0").reply("ok");
    sent("fetch 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 4/4/0");
  }

  @Test
  void asksEachShardOnItsBestCopyAndFetchesWhereItWon() {
    search.plan = view -> plan(shards("n1,n2", "n2,n1", "n3"));
    search.fetchedFrom = Set.of(0, 2);
    start();
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 1", "n3 query 2");
    List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
    assertThat(actions())
        .contains("n1 fetch 0", "n3 fetch 2", "n2 free 1")
        .doesNotContain("n2 fetch 1");
    sent("fetch 0").reply("ok");
    assertThat(search.log).doesNotContain("merge");
    sent("fetch 2").reply("ok");
    assertThat(search.log)
        .containsExactly(
            "prepare 1",
            "took query",
            "reduce",
            "merge",
            "took fetch",
            "took expand",
            "answer 3/3/0");
    assertThat(actions(" free ")).containsExactly("n2 free 1");
    assertThat(search.spent).containsExactly("query", "reduce", "fetch");
  }

  @Test
  void triesTheNextCopyAfterAFailure() {
    search.plan = view -> plan(shards("n1,n2,n3"));
    start();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST, BAD);
    world.sender.last().fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2", "n3");
    world.sender.last().reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(search.failureCount()).isZero();
  }

  @Test
  void triesTheNextCopyWhenACallCantBeMadeOrItsAnswerCantBeTaken() {
    search.plan = view -> plan(shards("unknown,n2,n3"));
    start();
    world.sender.last().reply("broken");
    world.sender.last().reply("ok");
    assertThat(actions("query")).containsExactly("n2 query 0", "n3 query 0");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void passesOverCopiesThatAreWeighedAway() {
    search.plan = view -> plan(shards("n1,away1,away2,n2"));
    start();
    world.sender.last().fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2");
  }

  @Test
  void failsWhenNoShardAnswers() {
    search.plan = view -> plan(shards("n1,n2", "n1"));
    start();
    for (int i = 0; i < 3; i++) {
      world.sender.sent.get(i).fail(NodeCallException.Kind.REMOTE, BAD);
    }
    assertThat(outcome()).isEqualTo("fail query: all shards failed");
    assertThat(world.views.refreshes).isZero();
  }

  @Test
  void answersWithoutTheShardsThatFailed() {
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
  }

  @Test
  void failsAPartOfAnAnswerThatIsNotAllowed() {
    search.plan = view -> plan(shards("n1", "n2"), new SearchRules(5, false, false, false));
    start();
    sent("query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("fail query: Partial shards failure");
    assertThat(actions(" free ")).containsExactly("n2 free 1");
  }

  @Test
  void failsAPartWithoutFailuresUnlessUnavailableShardsAreIgnored() {
    SearchRules strict = new SearchRules(5, false, false, false);
    search.plan = view -> plan(shards("n1", "n2"), strict);
    start();
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("fail query: Partial shards failure (1 shards unavailable)");
  }

  @Test
  void leavesOutUnavailableShardsThatAreIgnored() {
    search.plan = view -> plan(shards("n1", "n2"), new SearchRules(5, false, true, false));
    start();
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
  }

  @Test
  void rejectsAPartBeforeAnythingIsSentWhenCopiesAreMissing() {
    search.plan = view -> plan(shards("n1", "", ""), new SearchRules(5, false, false, true));
    start();
    assertThat(outcome()).isEqualTo("reject [1, 2]");
    assertThat(world.sender.sent).isEmpty();
    assertThat(world.views.refreshes).isEqualTo(1);
  }

  @Test
  void boundOutstandingCallsPerNode() {
    search.plan =
        view ->
            plan(shards("n1", "n1", "n1", "n1,n2", "n2"), new SearchRules(2, true, false, false));
    start();
    assertThat(actions()).containsExactly("n1 query 0", "n1 query 1", "n2 query 4");
    sent("query 0").reply("ok");
    assertThat(actions()).endsWith("n1 query 2").hasSize(4);
    sent("query 1").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions()).endsWith("n1 query 3").hasSize(5);
    sent("query 3").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions()).endsWith("n2 query 3").hasSize(6);
    sent("query 2").reply("ok");
    sent("query 3").reply("ok");
    sent("query 4").reply("ok");
    assertThat(outcome()).isEqualTo("answer 4/5/0");
  }

  @Test
  void waitsForASlotOnTheNextCopysNodeToo() {
    search.plan = view -> plan(shards("n1,n2", "n2", "n3"), new SearchRules(1, true, false, false));
    start();
    sent("query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions()).hasSize(3);
    sent("query 1").reply("ok");
    assertThat(actions()).endsWith("n2 query 0");
  }

  @Test
  void freesAllContextsOnceWhenTheReductionFails() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.reduceFailure = BAD;
    start();
    sent("query 0").reply("ok");
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("fail fetch: ");
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n2 free 1");
  }

  @Test
  void freeAllContextsWhenReportingTheFailureFails() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.reduceFailure = BAD;
    search.tellFailure = new IllegalStateException("can't tell");
    start();
    sent("query 0").reply("ok");
    assertThatThrownBy(() -> sent("query 1").reply("ok")).isSameAs(search.tellFailure);
    assertThat(actions(" free ")).containsExactlyInAnyOrder("n1 free 0", "n2 free 1");
  }

  @Test
  void freesTheContextOfAFetchThatFailedAndAnswersWithoutIt() {
    search.plan = view -> plan(shards("n1", "n2"));
    search.fetchedFrom = Set.of(0, 1);
    start();
    sent("query 0").reply("ok");
    sent("query 1").reply("ok");
    sent("fetch 0").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("fetch 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(actions(" free ")).containsExactly("n1 free 0");
  }

  @Test
  void failsWhenNoFetchAnswers() {
    search.fetchedFrom = Set.of(0);
    start();
    sent("query 0").reply("ok");
    sent("fetch 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("fail fetch: all shards failed");
  }

  @Test
  void failsAtTheEndWhenAFetchFailedAndPartsAreNotAllowed() {
    search.plan = view -> plan(shards("n1", "n2"), new SearchRules(5, false, false, false));
    search.fetchedFrom = Set.of(0, 1);
    start();
    sent("query 0").reply("ok");
    sent("query 1").reply("ok");
    sent("fetch 0").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("fetch 1").reply("ok");
    assertThat(outcome()).isEqualTo("fail fetch: Partial shards failure");
  }

  @Test
  void asksOnlyShardsThatCanMatchInTheOrderFound() {
    search.plan = view -> plan(shards("n1", "n2", "n3"), new SearchRules(5, true, false, true));
    search.matched =
        List.of(new MatchedShard(2, false), new MatchedShard(0, true), new MatchedShard(1, false));
    start();
    assertThat(actions()).containsExactly("n1 can_match 0", "n2 can_match 1", "n3 can_match 2");
    sent("can_match 0").reply("ok");
    sent("can_match 1").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("can_match 2").reply("ok");
    assertThat(actions("query")).containsExactly("n3 query 2", "n2 query 1");
    sent("query 2").reply("ok");
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 3/3/1");
    assertThat(search.log).containsSubsequence("took can_match", "took query");
  }

  @Test
  void failsWhenNoShardCanEvenSayWhetherItMatches() {
    search.plan = view -> plan(shards("n1"), new SearchRules(5, true, false, true));
    start();
    sent("can_match 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("fail can_match: all shards failed");
  }

  @Test
  void queriesWithTheTermsOfAllShards() {
    search.dfs = true;
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("dfs 0").reply("ok");
    sent("dfs 1").reply("ok");
    assertThat(actions("dfs_query")).containsExactly("n1 dfs_query 0", "n2 dfs_query 1");
    sent("dfs_query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    sent("dfs_query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(actions(" free ")).containsExactly("n1 free 0", "n2 free 1");
  }

  @Test
  void failsWhenNoShardAnswersTheQueryWithTerms() {
    search.dfs = true;
    start();
    sent("dfs 0").reply("ok");
    sent("dfs_query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(outcome()).isEqualTo("fail dfs_query: all shards failed");
  }

  @Test
  void waitsForTheExpansionOfCollapsedHits() {
    search.expands = true;
    start();
    sent("query 0").reply("ok");
    assertThat(outcome()).isEqualTo("took fetch");
    Objects.requireNonNull(search.expanding).accept(null);
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void failsWhenTheExpansionFails() {
    search.expands = true;
    start();
    sent("query 0").reply("ok");
    Objects.requireNonNull(search.expanding).accept(BAD);
    assertThat(outcome()).isEqualTo("fail expand: failed to expand hits");
  }

  @Test
  void sendNothingAfterACancellationAndReceiveTheRest() {
    search.plan =
        view -> plan(shards("n1,n2", "n1,n2", "n3"), new SearchRules(1, true, false, false));
    search.fetchedFrom = Set.of(0, 1, 2);
    start();
    assertThat(actions()).containsExactly("n1 query 0", "n3 query 2");
    world.context.cancel("client gone");
    assertThat(actions("ban")).containsExactlyInAnyOrder("n1 ban", "n3 ban");
    assertThat(sent("ban").isDeferrable()).isFalse();
    assertThat(world.isWaiting()).as("to repeat the bans").isFalse();
    assertThat(actions("unban")).isEmpty();
    sent("query 2").reply("ok");
    assertThat(actions("unban")).containsExactly("n3 unban");
    sent("query 0").fail(NodeCallException.Kind.REMOTE, BAD);
    assertThat(actions("unban")).containsExactly("n3 unban", "n1 unban");
    assertThat(actions("query")).hasSize(2);
    assertThat(actions("fetch")).isEmpty();
    assertThat(actions(" free ")).containsExactly("n3 free 2");
    assertThat(outcome()).startsWith("fail");
    assertThat(search.log).contains("cancel: client gone");
  }

  @Test
  void doesNothingWhenCancelledAfterItsEnd() {
    start();
    sent("query 0").reply("ok");
    world.context.cancel("late");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
    assertThat(actions("ban")).isEmpty();
  }

  @Test
  void cancelASearchThatCannotSucceed() {
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("query 0").reply("ok");
    search.hopeless.accept("too many bytes");
    assertThat(actions("ban")).containsExactly("n2 ban");
  }

  @Test
  void startsOverOnceWhenAShardHasMoved() {
    world.views.comes(2);
    world.views.comes(3);
    search.plan =
        view -> plan(view.state().version() == 1 ? shards("n1,n2", "n3") : shards("n4", "n3"));
    start();
    sent("query 1").reply("ok");
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    assertThat(search.log).contains("abandon", "prepare 2");
    assertThat(actions(" free ")).containsExactly("n3 free 1");
    world.sender.sent.removeIf(one -> one.call.action().startsWith("free"));
    assertThat(actions("query")).endsWith("n4 query 0", "n3 query 1");
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    sent("query 1").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(world.views.refreshes).isEqualTo(1);
  }

  @Test
  void continueWithTheAnsweredShardsOnAnUnchangedView() {
    search.plan = view -> plan(shards("n1", "n2"));
    start();
    sent("query 1").reply("ok");
    sent("query 0").fail(NodeCallException.Kind.REMOTE, MOVED);
    assertThat(world.views.refreshes).isEqualTo(1);
    assertThat(outcome()).isEqualTo("answer 1/2/0");
    assertThat(search.log).doesNotContain("abandon");
  }

  @Test
  void looksForCopiesBeforeItSendsAnything() {
    world.views.comes(2);
    search.plan = view -> plan(view.state().version() == 1 ? shards("n1", "") : shards("n1", "n2"));
    start();
    assertThat(actions()).containsExactly("n1 query 0", "n2 query 1");
    assertThat(world.views.refreshes).isEqualTo(1);
  }

  @Test
  void leavesOutShardsThatHaveNoCopyAnywhere() {
    search.plan = view -> plan(shards("n1", ""));
    start();
    assertThat(search.log).contains("unavailable 1");
    sent("query 0").reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/2/0");
  }

  @Test
  void looksAgainForAnIndexThatIsNotThere() {
    world.views.comes(2);
    search.prepareFailure = MOVED;
    start();
    assertThat(search.log)
        .containsExactly("prepare 1", "prepare 2", "failed before: " + ScriptedSearch.MOVED);
  }

  @Test
  void failsAtOnceWhenItCantBePlanned() {
    search.prepareFailure = BAD;
    start();
    assertThat(search.log).containsExactly("prepare 1", "failed before: bad");
    assertThat(world.views.refreshes).isZero();
  }

  @Test
  void failsWhenAStepThrows() {
    search.mergeFailure = new IllegalArgumentException("odd");
    start();
    sent("query 0").reply("ok");
    assertThat(outcome()).isEqualTo("fail fetch: ");
  }

  @Test
  void failWhenAStepAfterALaterReductionThrows() {
    search.reducesLater = true;
    search.fetchRoundFailure = new IllegalStateException("odd");
    start();
    sent("query 0").reply("ok");
    assertThat(search.log).endsWith("reduce");
    Objects.requireNonNull(search.reducing).accept(null);
    assertThat(outcome()).isEqualTo("fail fetch: ");
    assertThat(actions(" free ")).containsExactly("n1 free 0");
  }

  @Test
  void failWhenAStepAfterTheExpansionThrows() {
    search.expands = true;
    start();
    sent("query 0").reply("ok");
    search.reportFailure = new IllegalStateException("odd");
    Objects.requireNonNull(search.expanding).accept(null);
    assertThat(outcome()).isEqualTo("fail expand: ");
  }

  @Test
  void answersASearchOfNoShards() {
    search.plan = view -> plan(List.of());
    start();
    assertThat(outcome()).isEqualTo("answer 0/0/0");
  }
}
