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

/** Searches whose shards wait in the gateway until a copy has room. */
class LateBoundSearchTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  private void start(String... shards) {
    search.plan = view -> plan(free(shards));
    world.binder.full = true;
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private String outcome() {
    return search.log.getLast();
  }

  @Test
  void asksTheCopyThatItIsBoundTo() {
    start("n1,n2,n3");
    assertThat(world.sender.sent).isEmpty();
    assertThat(world.binder.waiting.getFirst().nodes).containsExactly("n1", "n2", "n3");
    world.binder.waiting.getFirst().bindTo("n2");
    assertThat(world.sender.nodes()).containsExactly("n2");
    world.sender.last().reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void triesTheOtherCopiesAtOnceAfterAFailure() {
    start("n1,n2,n3");
    world.binder.waiting.getFirst().bindTo("n2");
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(world.sender.nodes()).containsExactly("n2", "n1", "n3");
    world.sender.last().reply("ok");
    assertThat(outcome()).isEqualTo("answer 1/1/0");
  }

  @Test
  void doesNotWaitWhereThereIsNoChoice() {
    start("n1");
    assertThat(world.sender.nodes()).containsExactly("n1");
  }

  @Test
  void startsTheClockOfTheSecondRequestWhenTheFirstIsSent() {
    world.tail.hedges = true;
    search.repeatable = true;
    start("n1,n2");
    assertThat(world.isWaiting()).isFalse();
    world.binder.waiting.getFirst().bindTo("n2");
    assertThat(world.isWaiting()).isTrue();
    world.pass();
    assertThat(world.sender.nodes()).containsExactly("n2", "n1");
  }

  @Test
  void leavesTheQueueWhenItIsCancelled() {
    start("n1,n2", "n1,n2");
    ScriptedCopyBinder.Waiting first = world.binder.waiting.getFirst();
    world.context.cancel("gone");
    assertThat(world.binder.waiting).isEmpty();
    assertThat(first.left).isTrue();
    assertThat(world.sender.sent).isEmpty();
    assertThat(search.log).contains("cancel: gone").anyMatch(line -> line.startsWith("fail query"));
  }

  @Test
  void whatIsBoundJustBeforeACancellationIsNotSent() {
    start("n1,n2", "n1,n2");
    ScriptedCopyBinder.Waiting first = world.binder.waiting.getFirst();
    first.bindTo("n1");
    world.context.cancel("gone");
    List<String> actions = world.sender.sent.stream().map(one -> one.call.action()).toList();
    assertThat(actions).containsExactly("query 0", "ban");
    world.sender.sent.getFirst().fail(NodeCallException.Kind.REMOTE);
    assertThat(search.log).anyMatch(line -> line.startsWith("fail query"));
  }

  @Test
  void aShardWhoseBestCopyHasNoPermitLeftDoesNotGoToAWorseOneForThat() {
    String[] shards = new String[6];
    Arrays.fill(shards, "good,bad");
    search.plan = view -> plan(free(shards), new SearchRules(2, true, false, false));
    SearchCoordinator.start(world.environment, search, world.context);
    assertThat(world.sender.nodes()).containsExactly("good", "good");
    world.sender.last().reply("ok");
    assertThat(world.sender.nodes()).containsOnly("good").hasSize(3);
  }

  @Test
  void asksAnotherCopyForWantOfAPermitWhereTheBinderSaysSo() {
    search.plan =
        view -> plan(free("n1,n2", "n1,n2", "n1,n2"), new SearchRules(1, true, false, false));
    world.binder.insteadOfNone = "n2";
    SearchCoordinator.start(world.environment, search, world.context);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2");
  }

  /** Whatever is bound, answered and failed in whichever order: every search ends. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void endsWhateverHappens(long seed) {
    Random random = new Random(seed);
    int permits = 1 + random.nextInt(3);
    String[] shards = new String[25];
    List<String> nodes = new ArrayList<>(List.of("n1", "n2", "n3", "n4"));
    for (int shard = 0; shard < shards.length; shard++) {
      Collections.shuffle(nodes, random);
      shards[shard] = String.join(",", nodes.subList(0, 2 + random.nextInt(2)));
    }
    search.plan = view -> plan(free(shards), new SearchRules(permits, true, false, false));
    world.binder.full = true;
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
      world.binder.full = random.nextInt(10) > 0;
      if (!world.binder.waiting.isEmpty() && random.nextBoolean()) {
        List<ScriptedCopyBinder.Waiting> all = world.binder.waiting;
        ScriptedCopyBinder.Waiting one = all.get(random.nextInt(all.size()));
        one.bindTo(one.nodes.get(random.nextInt(one.nodes.size())));
      } else if (!open.isEmpty()) {
        Sent one = open.remove(random.nextInt(open.size()));
        if (random.nextInt(10) == 0) {
          one.fail(NodeCallException.Kind.REMOTE);
        } else {
          one.reply("ok");
        }
      }
    }
    assertThat(world.binder.most)
        .as("a search fills not more than its permits")
        .isLessThanOrEqualTo(permits);
    assertThat(world.binder.waiting).isEmpty();
  }
}
