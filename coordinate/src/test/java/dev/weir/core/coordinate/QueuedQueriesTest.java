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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches in front of nodes that bound the queries of a message themselves. */
class QueuedQueriesTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final ScriptedSearch search = new ScriptedSearch();

  @BeforeEach
  void queue() {
    search.queuesOnNodes = true;
    world.sender.queuingNodes.add("n1");
  }

  private void start(int permits, String... shards) {
    search.plan = view -> plan(free(shards), new SearchRules(permits, true, false, false));
    SearchCoordinator.start(world.environment, search, world.context);
  }

  private static String[] same(int count, String copies) {
    String[] shards = new String[count];
    Arrays.fill(shards, copies);
    return shards;
  }

  private Sent query(String nodeId, int shard) {
    return world.sender.sent.stream()
        .filter(one -> one.nodeId.equals(nodeId) && one.call.action().equals("query " + shard))
        .findFirst()
        .orElseThrow(() ->
            new AssertionError("got " + world.sender.actions() + " (expected: query " + shard));
  }

  private List<Boolean> waiting() {
    return world.sender.sent.stream().map(one -> one.waits).toList();
  }

  private String outcome() {
    return search.log.getLast();
  }

  @Test
  void sendsAllQueriesAtOnceAndBeginsThemOneAfterTheOther() {
    start(2, same(5, "n1"));
    assertThat(world.sender.actions())
        .containsExactly("n1 query 0", "n1 query 1", "n1 query 2", "n1 query 3", "n1 query 4");
    assertThat(world.sender.batches).hasSize(1);
    assertThat(world.sender.maxRunning).isEqualTo(2);
    assertThat(waiting()).containsExactly(false, false, true, true, true);
    query("n1", 1).reply("ok");
    assertThat(waiting()).containsExactly(false, false, false, true, true);
    query("n1", 3).reply("ok"); // it began on the node before the gateway knew
    assertThat(waiting().subList(2, 5)).containsExactly(false, true, true);
    query("n1", 2).reply("ok");
    query("n1", 0).reply("ok");
    query("n1", 4).reply("ok");
    assertThat(outcome()).isEqualTo("answer 5/5/0");
    assertThat(world.tail.log.stream().filter(one -> one.endsWith("ONLY_COPY"))).hasSize(5);
  }

  @Test
  void keepsQueriesBackForOtherNodesAndOtherRounds() {
    start(1, "n1", "n2", "n1", "n2");
    assertThat(world.sender.nodes()).containsExactly("n1", "n2", "n1");
    world.sender.sent.clear();
    search.queuesOnNodes = false;
    start(1, same(3, "n1"));
    assertThat(world.sender.nodes()).containsExactly("n1");
  }

  @Test
  void spreadsQueuedQueriesOverEqualCopies() {
    world.sender.queuingNodes.add("n2");
    start(1, "n1", "n2", "n1,n2", "n1,n2", "n1,n2", "n1,n2");
    assertThat(world.sender.nodes().stream().filter("n1"::equals)).hasSize(3);
    assertThat(world.sender.nodes().stream().filter("n2"::equals)).hasSize(3);
  }

  @Test
  void asksOtherNodesForWhatHasNotBegunOnAStalledNode() {
    world.tail.hedges = true;
    world.tail.goes = false; // no budget for hedged requests is left
    search.repeatable = true;
    start(2, "n1,n2", "n1,n2", "n1,n2", "n1,n2", "n1,n2", "n1");
    assertThat(world.sender.nodes()).containsOnly("n1").hasSize(6);
    world.pass();
    assertThat(world.sender.nodes()).containsOnly("n1");
    world.tail.stalls = true;
    world.pass();
    assertThat(world.sender.actions("n1 ban"))
        .containsExactly("n1 ban query 2", "n1 ban query 3", "n1 ban query 4");
    assertThat(world.sender.actions("n2")).containsExactly("n2 query 2", "n2 query 3");
    query("n2", 2).reply("ok");
    query("n1", 2).reply("late");
    assertThat(world.sender.actions("free 2")).containsExactly("n1 free 2 of n1");
    for (Sent one : List.of(query("n2", 3), query("n2", 4), query("n1", 0), query("n1", 1))) {
      one.reply("ok");
    }
    assertThat(query("n1", 5).waits).isFalse();
    query("n1", 5).reply("ok");
    assertThat(outcome()).isEqualTo("answer 6/6/0");
    assertThat(world.tail.log).doesNotContain("n2 RETRY", "n2 HEDGE");
  }

  @Test
  void spendsNoRetryOnWhatHasNotBegunOnALostNode() {
    world.tail.retries = false;
    start(1, same(3, "n1,n2"));
    for (Sent one : world.sender.sent.reversed().stream().toList()) {
      one.fail(NodeCallException.Kind.CONNECTION_LOST);
    }
    query("n2", 2).reply("ok");
    query("n2", 1).reply("ok");
    assertThat(outcome()).isEqualTo("answer 2/3/0");
  }

  /** Whether a query has begun, and no other copy answered before it. */
  private boolean holdsPermit(Sent one) {
    return !one.waits && !world.sender.actions().contains(one.nodeId + " ban " + one.call.action());
  }

  /** Every search ends, for any order of responses and failures. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void releaseAllPermitsForAnyOutcome(long seed) {
    Random random = new Random(seed);
    world.tail.hedges = true;
    search.repeatable = true;
    int permits = 1 + random.nextInt(3);
    String[] shards = new String[25];
    List<String> nodes = new ArrayList<>(List.of("n1", "n2", "n3", "n4"));
    world.sender.queuingNodes.add("n2");
    for (int shard = 0; shard < shards.length; shard++) {
      Collections.shuffle(nodes, random);
      shards[shard] = String.join(",", nodes.subList(0, 2 + random.nextInt(2)));
    }
    start(permits, shards);
    List<Sent> open = new ArrayList<>();
    int seen = 0;
    for (int step = 0; !outcome().startsWith("answer"); step++) {
      assertThat(step).as("it hangs: " + search.log).isLessThan(5_000);
      while (seen < world.sender.sent.size()) {
        Sent one = world.sender.sent.get(seen++);
        if (one.call.action().startsWith("query")) {
          open.add(one);
        }
      }
      for (String node : nodes) {
        assertThat(open.stream().filter(one -> one.nodeId.equals(node) && holdsPermit(one)).count())
            .isLessThanOrEqualTo(permits);
      }
      world.tail.stalls = random.nextInt(4) == 0;
      world.tail.goes = random.nextBoolean();
      if (world.isWaiting() && random.nextInt(3) == 0) {
        world.pass();
      } else if (!open.isEmpty()) {
        Sent one = open.remove(random.nextInt(open.size()));
        switch (random.nextInt(12)) {
          case 0 -> one.fail(NodeCallException.Kind.REMOTE);
          case 1 -> one.fail(NodeCallException.Kind.CONNECTION_LOST);
          default -> one.reply("ok");
        }
      }
    }
  }
}
