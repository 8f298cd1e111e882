package dev.weir.core.coordinate;

import static dev.weir.core.coordinate.ScriptedSearch.free;
import static dev.weir.core.coordinate.ScriptedSearch.plan;
import static dev.weir.core.coordinate.ScriptedSearch.shards;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.SearchWork.MatchedShard;
import dev.weir.core.coordinate.write.ScriptedWrite;
import dev.weir.core.coordinate.write.WriteCoordinator;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Requests that wait until the nodes that they need have capacity. */
class AdmissionTest {
  private static final Exception FULL = new IllegalStateException("full");

  private final CoordinationFixture world = new CoordinationFixture();

  private ScriptedAdmissionGate.ScriptedHandle waiting() {
    return world.gate.waiting.getFirst();
  }

  @Nested
  class Searches {
    private final ScriptedSearch search = new ScriptedSearch();

    private void start(String... shards) {
      search.plan = view -> plan(free(shards));
      SearchCoordinator.start(world.environment, search, world.context);
    }

    @Test
    void skipTheQueueWhenEveryFirstCopyHasCapacity() {
      world.gate.full.add("n3");
      start("n1,n2", "n2,n1");
      assertThat(world.gate.asked).isEmpty();
      assertThat(world.sender.nodes()).containsExactly("n1", "n2");
    }

    @Test
    void sendsNothingUntilItIsLetInWhole() {
      world.gate.full.add("n1");
      start("n1", "n2");
      assertThat(world.sender.sent).isEmpty();
      assertThat(waiting().what.nodeIdsByCall()).containsExactly(List.of("n1"), List.of("n2"));
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n1", "n2");
      assertThat(world.gate.asked.getFirst().left).as("its calls are counted now").isTrue();
      List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
      assertThat(search.log.getLast()).isEqualTo("answer 2/2/0");
    }

    @Test
    void useACopyWithCapacity() {
      world.gate.full.add("n1");
      start("n1,n2");
      assertThat(world.sender.nodes()).containsExactly("n2");
      world.sender.last().fail(NodeCallException.Kind.REMOTE);
      assertThat(world.sender.nodes()).containsExactly("n2", "n1");
      world.sender.last().reply("ok");
      assertThat(search.log.getLast()).isEqualTo("answer 1/1/0");
    }

    @Test
    void countTheShardsOfEachNode() {
      start("n1,n2", "n1,n3", "n2,n1", "");
      assertThat(world.gate.checkedCalls).isEqualTo(Map.of("n1", 2, "n2", 1));
    }

    /** The copy that is preferred by its load has no capacity. */
    @Test
    void chooseAmongCopiesWithCapacity() {
      world.gate.full.add("n2");
      world.selector.preferredNode = "n2";
      start("n1,n2,n3");
      assertThat(world.gate.asked).isEmpty();
      assertThat(world.sender.nodes()).containsExactly("n1");
      world.sender.last().fail(NodeCallException.Kind.REMOTE);
      world.sender.last().fail(NodeCallException.Kind.REMOTE);
      assertThat(world.sender.nodes()).as("kept for retries").containsExactly("n1", "n3", "n2");
    }

    @Test
    void waitForUnsteadyNodesTooAfterAWhile() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.unsteadyNodes.addAll(List.of("n2", "n3"));
      start("n1,n2,n3");
      assertThat(waiting().what.nodeIdsByCall()).containsExactly(List.of("n1"));
      assertThat(world.pauses).containsExactly(Duration.ofMillis(100));
      world.pass();
      assertThat(world.gate.asked).as("one place").hasSize(1);
      assertThat(world.gate.asked.getFirst().nodeIdsByCall)
          .containsExactly(List.of("n1", "n2", "n3"));
      assertThat(world.sender.nodes()).as("it has capacity").containsExactly("n3");
      assertThat(world.gate.asked.getFirst().left).isTrue();
      world.sender.last().reply("ok");
      assertThat(search.log.getLast()).isEqualTo("answer 1/1/0");
    }

    @Test
    void waitsForNoNodeThatDoesNotRespond() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.unsteadyNodes.addAll(List.of("n2", "n3"));
      start("n1,n2,n3", "n1,n3");
      world.tail.silentNodes.add("n3");
      world.pass();
      assertThat(waiting().nodeIdsByCall).containsExactly(List.of("n1", "n2"), List.of("n1"));
      assertThat(world.sender.sent).isEmpty();
      assertThat(world.pauses).as("looks again").endsWith(Duration.ofMillis(200));
      world.tail.silentNodes.clear();
      world.pass();
      assertThat(world.gate.asked.getFirst().nodeIdsByCall)
          .containsExactly(List.of("n1", "n2", "n3"), List.of("n1", "n3"));
    }

    /** Any of them, since a shard that is skipped later tests nothing. */
    @Test
    void testANodeWithOneShardOnly() {
      world.tail.silentNodes.add("n1");
      start("n1,n2", "n1,n3", "n2,n1", "n1", "n1,n2");
      assertThat(world.gate.checkedCalls.get("n1"))
          .as("the test, and the shard without another copy")
          .isEqualTo(2);
    }

    @Test
    void waitsForAllNodesWhereNoneResponds() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.unsteadyNodes.add("n2");
      start("n1,n2");
      world.tail.silentNodes.addAll(List.of("n1", "n2"));
      world.pass();
      assertThat(waiting().nodeIdsByCall).containsExactly(List.of("n1", "n2"));
    }

    @Test
    void avoidsANodeThatFailedWhileTheSearchWaited() {
      world.gate.full.addAll(List.of("n1", "n2"));
      start("n1,n2");
      world.tail.silentNodes.add("n1");
      world.gate.full.remove("n1"); // its calls have failed
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
    }

    @Test
    void testsANodeThatHadFailedBeforeTheSearchWaited() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.tail.silentNodes.add("n1");
      start("n1,n2");
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n1");
    }

    @Test
    void forgetTheWaitForTheBestNodesWithTheWaitItself() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.unsteadyNodes.add("n2");
      start("n1,n2");
      waiting().letIn();
      assertThat(world.isWaiting()).isFalse();
      assertThat(world.sender.nodes()).containsExactly("n1");
    }

    /** The reservation of the search itself fills its node. */
    @Test
    void useTheCopyWithReservedCapacity() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.preferredNode = "n1";
      start("n1,n2");
      world.gate.reserved.add("n2");
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
    }

    @Test
    void keepTheRequestedCopy() {
      world.gate.full.add("n1");
      search.plan = view -> plan(shards("n1,n2"));
      SearchCoordinator.start(world.environment, search, world.context);
      assertThat(waiting().what.nodeIdsByCall()).containsExactly(List.of("n1"));
    }

    @Test
    void failsWithTheRefusalAndHoldsNothing() {
      world.gate.full.add("n1");
      start("n1");
      waiting().refuse(FULL);
      assertThat(world.sender.sent).isEmpty();
      assertThat(search.log).containsSubsequence("abandon", "failed before: full");
    }

    @Test
    void leavesWhenItIsCancelled() {
      world.gate.full.add("n1");
      start("n1", "n2");
      ScriptedAdmissionGate.ScriptedHandle place = waiting();
      world.context.cancel("gone");
      assertThat(place.left).isTrue();
      assertThat(world.sender.sent).isEmpty();
      assertThat(search.log).anyMatch(line -> line.startsWith("fail query"));
      place.letIn();
      assertThat(world.sender.sent).isEmpty();
    }

    @Test
    void doNotWaitAfterACancellation() {
      world.gate.full.add("n1");
      search.plan =
          view -> {
            world.context.cancel("gone");
            return plan(free("n1"));
          };
      SearchCoordinator.start(world.environment, search, world.context);
      assertThat(world.gate.asked).isEmpty();
      assertThat(world.sender.sent).isEmpty();
      assertThat(search.log).anyMatch(line -> line.startsWith("fail query"));
    }

    @Test
    void releaseCapacityWhenItCannotBegin() {
      world.gate.full.add("n1");
      start("n1");
      ScriptedAdmissionGate.ScriptedHandle place = waiting();
      search.firstRoundFailure = new StackOverflowError("first round");
      assertThatThrownBy(place::letIn).hasMessage("first round");
      assertThat(place.left).isTrue();
    }

    /** A node that stands still must not keep the capacity of the others. */
    @Test
    void releaseCapacityWhileANodeDoesNotAnswerWhetherItMatches() {
      world.gate.full.add("n1");
      search.plan = view -> plan(free("n1", "n2"), new SearchRules(5, true, false, true));
      search.matched = List.of(new MatchedShard(0, false), new MatchedShard(1, false));
      SearchCoordinator.start(world.environment, search, world.context);
      waiting().letIn();
      assertThat(world.gate.asked.getFirst().left).isFalse();
      world.pass();
      assertThat(world.gate.asked.getFirst().left).isTrue();
      List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
      assertThat(world.sender.sent("query 1")).isNotNull();
    }

    @Test
    void admitPartsOfAnAdmittedRequestAtOnce() {
      world.gate.full.add("n1");
      search.asks = null;
      start("n1");
      assertThat(world.sender.nodes()).containsExactly("n1");
    }

    @Test
    void fetchesAndRetriesDoNotWait() {
      start("n1,n2");
      world.gate.full.addAll(List.of("n1", "n2"));
      world.sender.last().fail(NodeCallException.Kind.REMOTE);
      world.sender.last().reply("ok");
      assertThat(world.gate.asked).isEmpty();
      assertThat(search.log.getLast()).isEqualTo("answer 1/1/0");
    }

    @Test
    void startsOverWithoutWaitingAgain() {
      search.plan = view -> plan(shards("n1", "n2"));
      search.fetchedFrom = Set.of(0);
      SearchCoordinator.start(world.environment, search, world.context);
      List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
      world.gate.full.addAll(List.of("n1", "n2"));
      world.sender.sent("fetch 0").fail(NodeCallException.Kind.CONNECTION_LOST);
      world.views.comes(2);
      assertThat(world.gate.asked).isEmpty();
    }
  }

  @Nested
  class Reads {
    private final List<String> log = new ArrayList<>();
    private @Nullable Exception told;

    private void start(String... nodes) {
      List<ShardCopy> copies =
          Stream.of(nodes).map(node -> new ShardCopy(node, "", false, false, Map.of())).toList();
      new ReadCoordinator<>(world.environment, world.context, new Work(copies)).start();
    }

    private final class Work implements ReadWork<String> {
      private final List<ShardCopy> copies;

      Work(List<ShardCopy> copies) {
        this.copies = copies;
      }

      @Override
      public ReadPlan plan(ClusterView view) {
        return new ReadPlan.Copies(copies, copies, ShardRoutingRecorder.NONE);
      }

      @Override
      public NodeCall<String> call() {
        return new NodeCall<>(
            "get", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
      }

      @Override
      public boolean isCopyMissing(Exception failure) {
        return false;
      }

      @Override
      public void onReply(String reply, ReplyFrame frame) {
        log.add(reply);
      }

      @Override
      public void onCopiesExhausted(@Nullable Exception last) {
        log.add("exhausted");
      }

      @Override
      public void onFailure(Exception why) {
        log.add("failed");
        told = why;
      }
    }

    @Test
    void waitUntilACopyHasCapacity() {
      world.gate.full.addAll(List.of("n1", "n2"));
      start("n1", "n2");
      assertThat(world.sender.sent).isEmpty();
      world.gate.full.remove("n2");
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
      assertThat(world.gate.asked.getFirst().left).isTrue();
      world.sender.last().reply("found");
      assertThat(log).containsExactly("found");
    }

    @Test
    void chooseAmongCopiesWithCapacity() {
      world.gate.full.addAll(List.of("n1", "n2", "n3"));
      world.selector.preferredNode = "n1";
      start("n1", "n2", "n3");
      world.gate.reserved.add("n2");
      world.gate.full.remove("n3");
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
    }

    @Test
    void waitForUnsteadyNodesTooAfterAWhile() {
      world.gate.full.addAll(List.of("n1", "n2"));
      world.selector.unsteadyNodes.addAll(List.of("n2", "n3"));
      world.selector.failedNodes.add("n3");
      start("n1", "n2", "n3");
      assertThat(waiting().what.nodeIdsByCall()).containsExactly(List.of("n1"));
      assertThat(world.pauses).containsExactly(Duration.ofMillis(100));
      world.pass();
      assertThat(waiting().nodeIdsByCall).as("n3 fails").containsExactly(List.of("n1", "n2"));
      world.gate.full.remove("n2");
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
    }

    @Test
    void leavesNoTimerBehindAfterItsWait() {
      world.gate.full.add("n1");
      world.selector.unsteadyNodes.add("n2");
      start("n1", "n2");
      assertThat(world.isWaiting()).isTrue();
      waiting().letIn();
      assertThat(world.isWaiting()).isFalse();
      start("n1", "n2");
      world.context.cancel("gone");
      assertThat(world.isWaiting()).isFalse();
    }

    @Test
    void testsNoNodeAfterAWait() {
      start("n1", "n2");
      world.gate.full.addAll(List.of("n1", "n2"));
      start("n1", "n2");
      waiting().letIn();
      assertThat(world.selector.freshlyRanked).containsExactly(true, false);
    }

    @Test
    void avoidsANodeThatFailedWhileTheReadWaited() {
      world.gate.full.addAll(List.of("n1", "n2"));
      start("n1", "n2");
      world.selector.failedNodes.add("n1");
      world.selector.preferredNode = "n2";
      world.gate.full.remove("n1"); // its calls have failed
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n2");
    }

    @Test
    void failsWithTheRefusal() {
      world.gate.full.add("n1");
      start("n1");
      waiting().refuse(FULL);
      assertThat(log).containsExactly("failed");
      assertThat(told).isSameAs(FULL);
    }

    @Test
    void leavesWhenItIsCancelled() {
      world.gate.full.add("n1");
      start("n1");
      ScriptedAdmissionGate.ScriptedHandle place = waiting();
      world.context.cancel("gone");
      assertThat(place.left).isTrue();
      place.letIn();
      assertThat(world.sender.sent).isEmpty();
      assertThat(log).isEmpty();
    }
  }

  @Nested
  class Writes {
    private final Deque<WriteStep> steps = new ArrayDeque<>();
    private final ScriptedWrite work = new ScriptedWrite((view, certainty) -> steps.remove());
    private final ScriptedWrite.Part one = work.part("one");
    private final ScriptedWrite.Part other = work.part("other");

    private void start() {
      other.target = view -> new WriteTarget.Node("n2");
      steps.addAll(
          List.of(ScriptedWrite.send(one, other), ScriptedWrite.send(one), ScriptedWrite.send()));
      new WriteCoordinator(world.environment, world.context, work).start();
    }

    @Test
    void waitsWholeAndOnlyOnce() {
      world.gate.full.add("n2");
      start();
      assertThat(world.sender.sent).isEmpty();
      waiting().letIn();
      assertThat(world.sender.nodes()).containsExactly("n1", "n2");
      assertThat(world.gate.asked.getFirst().left).isTrue();
      world.gate.full.add("n1");
      List.copyOf(world.sender.sent).forEach(sent -> sent.reply("done"));
      assertThat(world.sender.nodes()).as("what came back").containsExactly("n1", "n2", "n1");
      world.sender.last().reply("done");
      assertThat(work.log.getLast()).isEqualTo("finished");
    }

    @Test
    void failsWholeWithTheRefusal() {
      world.gate.full.add("n1");
      start();
      waiting().refuse(FULL);
      assertThat(world.sender.sent).isEmpty();
      assertThat(work.failure).isSameAs(FULL);
    }

    @Test
    void leavesWhenItIsCancelled() {
      world.gate.full.add("n1");
      start();
      ScriptedAdmissionGate.ScriptedHandle place = waiting();
      world.context.cancel("gone");
      assertThat(place.left).isTrue();
      place.letIn();
      assertThat(world.sender.sent).isEmpty();
    }
  }
}
