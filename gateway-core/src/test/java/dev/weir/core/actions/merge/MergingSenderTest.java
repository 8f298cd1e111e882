package dev.weir.core.actions.merge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.merge.Clients.Client;
import dev.weir.core.actions.merge.Clients.Sent;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.model.Work;
import dev.weir.protocol.NodeFailure;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.xcontent.XContentType;

class MergingSenderTest {
  private final Clients clients = new Clients();

  private static List<String> ids(BulkShardRequest request) {
    return Arrays.stream(request.items()).map(item -> item.request().id()).toList();
  }

  private List<String> idsSent(int call) {
    return ids(clients.sent.get(call).written());
  }

  private void assertNothingWaits() {
    assertThat(clients.merging.counts().waiting()).isZero();
  }

  @Test
  void sendsAtOnceWhoComesAlone() {
    for (int round = 0; round < 3; round++) {
      Client client = clients.send("a", "b");
      assertThat(clients.sent).hasSize(round + 1);
      Sent sent = clients.sent.get(round);
      assertThat(sent.context()).isSameAs(client.context);
      sent.answer(sent.written());
      assertThat(client.heard).containsExactly("4 a", "5 b");
    }
    assertThat(clients.alarms).isEmpty();
    assertThat(clients.merging.counts().merged()).isZero();
  }

  @Test
  void sendsTogetherWhoComesMeanwhileAndGivesEachItsOwn() {
    Client first = clients.send("a");
    Client second = clients.send("b", "bad-1");
    Client third = clients.send("c");
    Client fourth = clients.send("b");
    assertThat(clients.sent).hasSize(1);
    assertThat(clients.merging.counts().waiting()).isEqualTo(3);
    clients.later();
    assertThat(clients.sent).hasSize(2);
    assertNothingWaits();
    Sent together = clients.sent.get(1);
    assertThat(together.work()).isEqualTo(Work.WRITE_HUNDRED);
    BulkShardRequest written = together.written();
    assertThat(ids(written)).containsExactly("b", "bad-1", "c", "b");
    assertThat(written.routedBasedOnClusterVersion()).isEqualTo(42);
    assertThat(written.timeout()).isEqualTo(TimeValue.timeValueMinutes(1));
    together.answer(written);
    assertThat(second.heard).containsExactly("4 b", "5 bad-1 failed");
    assertThat(third.heard).containsExactly("4 c");
    assertThat(fourth.heard).containsExactly("4 b");
    assertThat(first.heard).isEmpty();
    assertThat(third.reply)
        .satisfies(reply -> {
          assertThat(reply.getShardInfo().getTotal()).isEqualTo(2);
          assertThat(reply.getServiceTimeEWMAInNanos()).isEqualTo(7);
          assertThat(reply.getNodeQueueSize()).isEqualTo(3);
        });
    assertThat(third.context.responseHeaders()).isEqualTo(Map.of("Warning", Set.of("old")));
    assertThat(clients.merging.counts().merged()).isEqualTo(3);
    assertThat(clients.merging.counts().calls()).isEqualTo(1);
  }

  @Test
  void waitsForAsLongAsThatBringsOthers() {
    clients.send("a");
    clients.send("b");
    clients.send("c");
    clients.later();
    clients.sent.forEach(sent -> sent.answer(sent.written()));
    Client patient = clients.send("d");
    assertThat(clients.sent).hasSize(2);
    clients.later();
    assertThat(clients.sent).hasSize(3);
    Sent alone = clients.sent.get(2);
    assertThat(alone.context()).isSameAs(patient.context);
    assertThat(clients.merging.counts().inVain()).isEqualTo(1);
    alone.answer(alone.written());
    clients.send("e");
    assertThat(clients.sent).hasSize(4);
  }

  @Test
  void goesWithoutWaitingOnceThereIsEnough() {
    clients.send("a");
    for (int i = 0; i < 10; i++) {
      clients.send("x" + i, "y" + i);
    }
    assertThat(clients.sent).hasSize(2);
    assertThat(idsSent(1)).hasSize(20);
    clients.send("b", "c", "d", "e", "f", "g", "h");
    clients.send("b", "c", "d", "e", "f", "g", "h");
    clients.send("b", "c", "d", "e", "f", "g", "h");
    assertThat(clients.sent).hasSize(3);
    assertThat(idsSent(2)).hasSize(14);
    clients.later();
    assertThat(idsSent(3)).hasSize(7);
    assertNothingWaits();
  }

  @Test
  void sendsByItselfWhatIsNotSmallOrNotNamedOrNoIndexing() {
    clients.send("a");
    clients.send("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
    String long1 = "{\"a\":\"" + "x".repeat(6000) + "\"}";
    clients.send(
        Clients.part(
            new BulkItemRequest[] {
              new BulkItemRequest(
                  0, new IndexRequest("logs").id("l").source(long1, XContentType.JSON))
            },
            RefreshPolicy.NONE),
        Clients.context());
    clients.send(
        Clients.part(
            new BulkItemRequest[] {
              new BulkItemRequest(0, new UpdateRequest("logs", "u").doc("{}", XContentType.JSON))
            },
            RefreshPolicy.NONE),
        Clients.context());
    assertThat(clients.sent).hasSize(4);
    RequestContext other = Clients.context();
    other.goesBy(clients.policies.compile("other", BulkPolicy.Merge.STANDARD, null));
    clients.send(Clients.part("b"), other);
    assertThat(clients.sent).hasSize(5);
    assertThat(clients.alarms).isEmpty();
  }

  @Test
  void keepsApartWhatAsksForSomethingElseOrIsSomebodyElses() {
    BulkShardRequest refreshing = Clients.part("r");
    refreshing.setRefreshPolicy(RefreshPolicy.WAIT_UNTIL);
    BulkShardRequest all = Clients.part("s");
    all.waitForActiveShards(ActiveShardCount.ALL);
    BulkShardRequest brief = Clients.part("t");
    brief.timeout(TimeValue.timeValueSeconds(1));
    RequestContext limited = Clients.context();
    limited.limit(Clients.deadline(Duration.ofSeconds(10)));
    clients.send("a");
    clients.send(refreshing, Clients.context());
    clients.send(all, Clients.context());
    clients.send(brief, Clients.context());
    clients.send(Clients.part("u"), limited);
    clients.send(Clients.part("v"), Clients.context(Map.of(), "other"));
    clients.send(
        Clients.part("w"),
        Clients.context(Map.of("_security", "me"), RequestContext.DEFAULT_TENANT));
    assertThat(clients.sent).as("each is alone in its lane").hasSize(7);
  }

  @Test
  void takesTogetherWhatOnlyTracingTellsApart() {
    clients.send("a");
    clients.send(
        Clients.part("b"),
        Clients.context(Map.of("X-Opaque-Id", "1", "X-Request-Id", "r"), "_default"));
    clients.send(
        Clients.part("c"),
        Clients.context(Map.of("X-Opaque-Id", "2", "X-Request-Id", "r"), "_default"));
    clients.later();
    assertThat(idsSent(1)).containsExactly("b", "c");
    assertThat(clients.sent.get(1).call().headers()).isEqualTo(Map.of("X-Request-Id", "r"));
  }

  @Test
  void givesANodeNoMoreTimeThanTheLeastOfDeadlines() {
    clients.send("a");
    for (long seconds : List.of(40L, 35L, 39L)) {
      RequestContext context = Clients.context();
      context.limit(Clients.deadline(Duration.ofSeconds(seconds)));
      BulkShardRequest part = Clients.part("d" + seconds);
      part.timeout(TimeValue.timeValueSeconds(seconds));
      clients.send(part, context);
    }
    assertThat(clients.sent).hasSize(2); // one without a deadline, the first with
    clients.later();
    assertThat(clients.sent.get(2).written().timeout()).isEqualTo(TimeValue.timeValueSeconds(35));
    RequestContext urgent = Clients.context();
    urgent.limit(Clients.deadline(Duration.ofMillis(20)));
    clients.send(Clients.part("u"), urgent);
    assertThat(clients.sent).hasSize(4);
  }

  @Test
  void leavesOutWhoLeftWhileWaiting() {
    clients.send("a");
    Client stays = clients.send("b");
    Client leaves = clients.send("c");
    clients.send("d");
    leaves.context.cancel("gone");
    clients.later();
    BulkShardRequest written = clients.sent.get(1).written();
    assertThat(ids(written)).containsExactly("b", "d");
    clients.sent.get(1).answer(written);
    assertThat(stays.heard).containsExactly("4 b");
    assertThat(leaves.heard).isEmpty();
    clients.send("e").context.cancel("gone");
    clients.later();
    assertThat(clients.sent).hasSize(2);
    assertNothingWaits();
  }

  @Test
  void leavesOutWhoLeftBeforeItIsWritten() {
    clients.send("a");
    Client leaves = clients.send("b");
    Client stays = clients.send("c", "d");
    clients.later();
    leaves.context.cancel("gone");
    Sent together = clients.sent.get(1);
    BulkShardRequest written = together.written();
    assertThat(ids(written)).containsExactly("c", "d");
    together.answer(written);
    assertThat(stays.heard).containsExactly("4 c", "5 d");
    assertThat(leaves.heard).isEmpty();
  }

  @Test
  void goesOnForThoseWhoStay() {
    clients.send("a");
    Client leaves = clients.send("b");
    Client stays = clients.send("c");
    clients.later();
    Sent together = clients.sent.get(1);
    BulkShardRequest written = together.written();
    leaves.context.cancel("gone");
    assertThat(together.forgotten()).isFalse();
    together.answer(written);
    assertThat(stays.heard).containsExactly("4 c");
    assertThat(leaves.heard).isEmpty();
  }

  @Test
  void isForgottenWhenAllHaveLeft() {
    Client alone = clients.send("a");
    Client one = clients.send("b");
    Client other = clients.send("c");
    clients.later();
    Sent together = clients.sent.get(1);
    BulkShardRequest written = together.written();
    one.context.cancel("gone");
    other.context.cancel("gone");
    assertThat(together.forgotten()).isTrue();
    together.answer(written); // late
    alone.context.cancel("gone");
    assertThat(clients.sent.get(0).forgotten()).isTrue();
    assertThat(one.heard).isEmpty();
    clients.send("d"); // had company, so it waits; nobody is under way
    clients.later();
    clients.send("e");
    assertThat(clients.sent).hasSize(3);
  }

  @Test
  void tellsAFailureToEach() {
    clients.send("a");
    Client one = clients.send("b");
    Client other = clients.send("c");
    clients.later();
    Sent together = clients.sent.get(1);
    together.written();
    together.fail(NodeFailure.Kind.CONNECTION_LOST);
    assertThat(one.heard).containsExactly("CONNECTION_LOST");
    assertThat(other.heard).containsExactly("CONNECTION_LOST");
    together.fail(NodeFailure.Kind.CONNECTION_LOST);
    assertThat(other.heard).hasSize(1);
  }

  @Test
  void refusesAnAnswerWithAnotherNumberOfItems() {
    clients.send("a");
    Client one = clients.send("b");
    clients.send("c");
    clients.later();
    Sent together = clients.sent.get(1);
    together.written();
    together
        .handler()
        .onReply(
            new BulkShardResponse(Clients.SHARD, new BulkItemResponse[0]), new Clients.NoFrame());
    assertThat(one.heard).containsExactly("MALFORMED");
    assertThat(one.failure).hasMessageContaining("answers of 0 items (expected: 2)");
  }

  /** Memory that counts, and has a limit. */
  private static final class Counted implements RequestMemory {
    private final long limit;
    private long held;
    private long most;

    Counted(long limit) {
      this.limit = limit;
    }

    @Override
    public @Nullable MemoryRefusal take(Item item, long bytes, Supplier<List<String>> growth) {
      if (held + bytes > limit) {
        return new MemoryRefusal(
            item, bytes, held + bytes, limit, "a test", false, List.of(), List.of());
      }
      held += bytes;
      most = Math.max(most, held);
      return null;
    }

    @Override
    public void takeAnyway(Item item, long bytes) {
      held += bytes;
    }

    @Override
    public void giveBack(Item item, long bytes) {
      held -= bytes;
    }
  }

  private Client send(Counted memory, String... ids) {
    RequestContext context = Clients.context();
    context.paidBy(memory);
    return clients.send(Clients.part(ids), context);
  }

  @Test
  void hasEachPayForItsAnswer() {
    clients.send("a");
    Counted one = new Counted(100_000);
    Counted other = new Counted(12_000);
    Counted poor = new Counted(100);
    send(one, "b");
    send(other, "c", "d");
    Client last = send(poor, "e");
    clients.later();
    assertThat(idsSent(1)).as("who can't pay goes alone").containsExactly("e");
    assertThat(clients.sent.get(1).context()).isSameAs(last.context);
    Sent together = clients.sent.get(2);
    BulkShardRequest written = together.written();
    RequestMemory answers = together.context().memory();
    assertThat(answers.bounded()).isTrue();
    long ahead = 2 * SharedAnswers.AHEAD + 3 * SharedAnswers.ITEM_AHEAD;
    assertThat(answers.take(RequestMemory.Item.ANSWERS, ahead)).isNull();
    assertThat(one.held).isEqualTo(SharedAnswers.AHEAD + SharedAnswers.ITEM_AHEAD);
    assertThat(answers.take(RequestMemory.Item.ANSWERS, 1001)).isNull();
    assertThat(one.held).isEqualTo(SharedAnswers.AHEAD + SharedAnswers.ITEM_AHEAD + 501);
    long others = other.held;
    assertThat(answers.take(RequestMemory.Item.ANSWERS, 10_000)).isNull();
    assertThat(other.held).as("who can't pay is left out").isEqualTo(others);
    long all = SharedAnswers.AHEAD + SharedAnswers.ITEM_AHEAD + 501 + 9_999;
    assertThat(one.held).as("the others pay all of it").isEqualTo(all);
    assertThat(answers.take(RequestMemory.Item.ANSWERS, 200_000)).as("nobody can pay").isNotNull();
    assertThat(one.held).isEqualTo(all);
    assertThat(other.held).isEqualTo(others);
    together.answer(written);
    answers.giveBack(RequestMemory.Item.ANSWERS, ahead + 11_001);
    assertThat(one.held).isZero();
    assertThat(other.held).isZero();
    assertThat(other.most).isPositive();
  }

  @Test
  void givesBackTheMemoryOfThoseWhoLeft() {
    clients.send("a");
    Counted one = new Counted(100_000);
    Counted other = new Counted(100_000);
    Client leaves = send(one, "b");
    Client follows = send(other, "c");
    clients.later();
    leaves.context.cancel("gone");
    assertThat(one.held).as("its answer may be on its way").isPositive();
    follows.context.cancel("gone");
    assertThat(one.held).isZero();
    assertThat(other.held).isZero();
  }
}
