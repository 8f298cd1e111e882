package dev.weir.core.actions.merge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.merge.MergingClients.Client;
import dev.weir.core.actions.merge.MergingClients.Sent;
import dev.weir.model.MemoryRejection;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.protocol.NodeCallException;
import java.net.InetSocketAddress;
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

class MergingBulkSenderTest {
  private final MergingClients clients = new MergingClients();

  private static List<String> ids(BulkShardRequest request) {
    return Arrays.stream(request.items()).map(item -> item.request().id()).toList();
  }

  private List<String> idsSent(int call) {
    return ids(clients.sent.get(call).written());
  }

  private void assertNothingWaits() {
    assertThat(clients.merging.counts().waitingParts()).isZero();
  }

  @Test
  void sendALoneBulkAtOnce() {
    for (int round = 0; round < 3; round++) {
      Client client = clients.send("a", "b");
      assertThat(clients.sent).hasSize(round + 1);
      Sent sent = clients.sent.get(round);
      assertThat(sent.context()).isSameAs(client.context);
      sent.answer(sent.written());
      assertThat(client.heard).containsExactly("4 a", "5 b");
    }
    assertThat(clients.alarms).isEmpty();
    assertThat(clients.merging.counts().mergedParts()).isZero();
  }

  @Test
  void mergeSmallPartsAndLeaveOthersToTheBatch() {
    clients.batching = true;
    clients.send("a");
    clients.send("b");
    clients.send("c");
    assertThat(clients.batched).as("parts that may be merged").isEmpty();
    clients.send("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
    assertThat(clients.batched).as("a large part").hasSize(1);
    assertThat(clients.sent).hasSize(2);
    clients.later();
    assertThat(idsSent(2)).containsExactly("b", "c");
  }

  @Test
  void mergeConcurrentBulksAndSplitTheResponse() {
    Client first = clients.send("a");
    Client second = clients.send("b", "bad-1");
    Client third = clients.send("c");
    Client fourth = clients.send("b");
    assertThat(clients.sent).hasSize(1);
    assertThat(clients.merging.counts().waitingParts()).isEqualTo(3);
    clients.later();
    assertThat(clients.sent).hasSize(2);
    assertNothingWaits();
    Sent together = clients.sent.get(1);
    assertThat(together.work()).isEqualTo(NodeCallType.WRITE_HUNDRED);
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
    assertThat(third.context.response().headers()).isEqualTo(Map.of("Warning", Set.of("old")));
    assertThat(clients.merging.counts().mergedParts()).isEqualTo(3);
    assertThat(clients.merging.counts().mergedCalls()).isEqualTo(1);
  }

  /** Without tenants, the client's address has the share of a node that the call takes. */
  @Test
  void countAMergedCallForItsFirstClient() {
    clients.send("a");
    Client second = clients.send("b");
    InetSocketAddress address = new InetSocketAddress("10.0.0.1", 40_000);
    second.context.setClientAddress(address);
    clients.send("c");
    clients.later();
    assertThat(clients.sent.get(1).context()).isNotSameAs(second.context);
    assertThat(clients.sent.get(1).context().clientAddress()).isEqualTo(address);
    clients.sent.forEach(sent -> sent.answer(sent.written()));
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
    assertThat(clients.merging.counts().misses()).isEqualTo(1);
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
  void doNotMergeLargeOrUnlistedBulksAndOtherOperations() {
    clients.send("a");
    clients.send("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
    String long1 = "{\"a\":\"" + "x".repeat(6000) + "\"}";
    clients.send(
        MergingClients.part(
            new BulkItemRequest[] {
              new BulkItemRequest(
                  0, new IndexRequest("logs").id("l").source(long1, XContentType.JSON))
            },
            RefreshPolicy.NONE),
        MergingClients.context());
    clients.send(
        MergingClients.part(
            new BulkItemRequest[] {
              new BulkItemRequest(0, new UpdateRequest("logs", "u").doc("{}", XContentType.JSON))
            },
            RefreshPolicy.NONE),
        MergingClients.context());
    assertThat(clients.sent).hasSize(4);
    RequestContext other = MergingClients.context();
    other.resources().setPolicy(clients.policies.compile("other", BulkPolicy.Merge.DEFAULT, null));
    clients.send(MergingClients.part("b"), other);
    assertThat(clients.sent).hasSize(5);
    assertThat(clients.alarms).isEmpty();
  }

  @Test
  void keepOtherSettingsAndOtherUsersApart() {
    BulkShardRequest refreshing = MergingClients.part("r");
    refreshing.setRefreshPolicy(RefreshPolicy.WAIT_UNTIL);
    BulkShardRequest all = MergingClients.part("s");
    all.waitForActiveShards(ActiveShardCount.ALL);
    BulkShardRequest brief = MergingClients.part("t");
    brief.timeout(TimeValue.timeValueSeconds(1));
    RequestContext limited = MergingClients.context();
    limited.limitDeadline(MergingClients.deadline(Duration.ofSeconds(10)));
    clients.send("a");
    clients.send(refreshing, MergingClients.context());
    clients.send(all, MergingClients.context());
    clients.send(brief, MergingClients.context());
    clients.send(MergingClients.part("u"), limited);
    clients.send(MergingClients.part("v"), MergingClients.context(Map.of(), "other"));
    clients.send(
        MergingClients.part("w"),
        MergingClients.context(Map.of("_security", "me"), RequestContext.DEFAULT_TENANT));
    assertThat(clients.sent).as("each is alone in its lane").hasSize(7);
  }

  @Test
  void mergeBulksThatDifferOnlyInTraceHeaders() {
    clients.send("a");
    clients.send(
        MergingClients.part("b"),
        MergingClients.context(Map.of("X-Opaque-Id", "1", "X-Request-Id", "r"), "_default"));
    clients.send(
        MergingClients.part("c"),
        MergingClients.context(Map.of("X-Opaque-Id", "2", "X-Request-Id", "r"), "_default"));
    clients.later();
    assertThat(idsSent(1)).containsExactly("b", "c");
    assertThat(clients.sent.get(1).call().headers()).isEqualTo(Map.of("X-Request-Id", "r"));
  }

  @Test
  void givesANodeNoMoreTimeThanTheLeastOfDeadlines() {
    clients.send("a");
    for (long seconds : List.of(40L, 35L, 39L)) {
      RequestContext context = MergingClients.context();
      context.limitDeadline(MergingClients.deadline(Duration.ofSeconds(seconds)));
      BulkShardRequest part = MergingClients.part("d" + seconds);
      part.timeout(TimeValue.timeValueSeconds(seconds));
      clients.send(part, context);
    }
    assertThat(clients.sent).hasSize(2); // the second has no deadline, the first has one
    clients.later();
    assertThat(clients.sent.get(2).written().timeout()).isEqualTo(TimeValue.timeValueSeconds(35));
    RequestContext urgent = MergingClients.context();
    urgent.limitDeadline(MergingClients.deadline(Duration.ofMillis(20)));
    clients.send(MergingClients.part("u"), urgent);
    assertThat(clients.sent).hasSize(4);
  }

  @Test
  void leaveOutClientsThatLeftWhileWaiting() {
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
  void leaveOutClientsThatLeftBeforeTheWrite() {
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
  void continueForTheRemainingClients() {
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
  void dropTheCallWhenAllClientsHaveLeft() {
    Client alone = clients.send("a");
    Client one = clients.send("b");
    Client other = clients.send("c");
    clients.later();
    Sent together = clients.sent.get(1);
    BulkShardRequest written = together.written();
    one.context.cancel("gone");
    other.context.cancel("gone");
    assertThat(together.forgotten()).isTrue();
    together.answer(written); // a late response
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
    together.fail(NodeCallException.Kind.CONNECTION_LOST);
    assertThat(one.heard).containsExactly("CONNECTION_LOST");
    assertThat(other.heard).containsExactly("CONNECTION_LOST");
    together.fail(NodeCallException.Kind.CONNECTION_LOST);
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
            new BulkShardResponse(MergingClients.SHARD, new BulkItemResponse[0]),
            new MergingClients.NoFrame());
    assertThat(one.heard).containsExactly("MALFORMED");
    assertThat(one.failure).hasMessageContaining("of 0 items (expected: 2)");
  }

  /** Memory with a counter and a limit. */
  private static final class Counted implements RequestMemory {
    private final long limit;
    private long held;
    private long most;

    Counted(long limit) {
      this.limit = limit;
    }

    @Override
    public @Nullable MemoryRejection reserve(
        Category item, long bytes, Supplier<List<String>> growth) {
      if (held + bytes > limit) {
        return new MemoryRejection(
            item, bytes, held + bytes, limit, "a test", false, List.of(), List.of());
      }
      held += bytes;
      most = Math.max(most, held);
      return null;
    }

    @Override
    public void forceReserve(Category item, long bytes) {
      held += bytes;
    }

    @Override
    public void release(Category item, long bytes) {
      held -= bytes;
    }
  }

  private Client send(Counted memory, String... ids) {
    RequestContext context = MergingClients.context();
    context.resources().setMemory(memory);
    return clients.send(MergingClients.part(ids), context);
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
    RequestMemory answers = together.context().resources().memory();
    assertThat(answers.isBounded()).isTrue();
    long ahead =
        2 * SharedResponseMemory.RESERVED_PART_BYTES + 3 * SharedResponseMemory.RESERVED_ITEM_BYTES;
    assertThat(answers.reserve(RequestMemory.Category.NODE_RESPONSES, ahead)).isNull();
    assertThat(one.held)
        .isEqualTo(
            SharedResponseMemory.RESERVED_PART_BYTES + SharedResponseMemory.RESERVED_ITEM_BYTES);
    assertThat(answers.reserve(RequestMemory.Category.NODE_RESPONSES, 1001)).isNull();
    assertThat(one.held)
        .isEqualTo(
            SharedResponseMemory.RESERVED_PART_BYTES
                + SharedResponseMemory.RESERVED_ITEM_BYTES
                + 501);
    long others = other.held;
    assertThat(answers.reserve(RequestMemory.Category.NODE_RESPONSES, 10_000)).isNull();
    assertThat(other.held).as("who can't pay is left out").isEqualTo(others);
    long all =
        SharedResponseMemory.RESERVED_PART_BYTES
            + SharedResponseMemory.RESERVED_ITEM_BYTES
            + 501
            + 9_999;
    assertThat(one.held).as("the others pay all of it").isEqualTo(all);
    assertThat(answers.reserve(RequestMemory.Category.NODE_RESPONSES, 200_000))
        .as("nobody can pay")
        .isNotNull();
    assertThat(one.held).isEqualTo(all);
    assertThat(other.held).isEqualTo(others);
    together.answer(written);
    answers.release(RequestMemory.Category.NODE_RESPONSES, ahead + 11_001);
    assertThat(one.held).isZero();
    assertThat(other.held).isZero();
    assertThat(other.most).isPositive();
  }

  @Test
  void releaseTheMemoryOfClientsThatLeft() {
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
