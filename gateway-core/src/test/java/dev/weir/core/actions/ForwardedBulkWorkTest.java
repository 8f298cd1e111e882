package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Deadline;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;

/** Bulks that one node executes as a whole. */
class ForwardedBulkWorkTest {
  private static final Exception WHY = new OpenSearchException("why");

  private final DocumentActionsFixture world =
      new DocumentActionsFixture(DocumentActionsFixture.ingesting("a", "b", "c"));
  private final BulkRequest bulk =
      new BulkRequest()
          .add(new IndexRequest("piped").setPipeline("p").source(Map.of("text", "x".repeat(500))))
          .add(new IndexRequest("piped").id("own").setPipeline("p").source(Map.of("n", 1)));

  private long underWay() {
    return List.of("a", "b", "c").stream()
        .mapToLong(node -> world.lanes.writeBytesLimiter(node).inFlightBytes())
        .sum();
  }

  @AfterEach
  void nothingIsUnderWay() {
    world.context.end();
    assertThat(underWay()).isZero();
  }

  private BulkItemResponse[] items() {
    return Objects.requireNonNull(world.response).getItems();
  }

  private void answer() {
    BulkItemResponse[] done = new BulkItemResponse[2];
    for (int slot = 0; slot < done.length; slot++) {
      BulkItemResponse.Failure failure = new BulkItemResponse.Failure("piped", "id", WHY);
      done[slot] = new BulkItemResponse(slot, OpType.INDEX, failure);
    }
    world.sent.getLast().reply(new BulkResponse(done, 3));
  }

  @Test
  void sendToTheNodeThatAdmittedItAndCountItThere() {
    world.nodeBulk(bulk);
    DocumentActionsFixture.Sent sent = world.sent.getFirst();
    assertThat(sent.call().action()).isEqualTo(BulkAction.NAME);
    assertThat(world.asked).containsExactly(sent.nodeId());
    assertThat(world.lanes.writeBytesLimiter(sent.nodeId()).inFlightBytes())
        .isEqualTo(bulk.ramBytesUsed())
        .isGreaterThan(500);
    answer();
    assertThat(underWay()).isZero();
    assertThat(items()).hasSize(2);
  }

  /** The client's next search by a pattern must find the index that the node created. */
  @Test
  void answerOnceTheViewHasTheCreatedIndex() {
    world.nodeBulk(bulk);
    world.comes(DocumentActionsFixture.ingesting("a", "b", "c"));
    int looked = world.refreshes;
    IndexResponse created =
        new IndexResponse(new ShardId(new Index("piped", "u"), 0), "own", 0, 1, 1, true);
    world
        .sent
        .getLast()
        .reply(
            new BulkResponse(
                new BulkItemResponse[] {new BulkItemResponse(0, OpType.INDEX, created)}, 3));
    assertThat(world.refreshes).isEqualTo(looked + 1);
    assertThat(items()).hasSize(1);
  }

  @Test
  void goesToAnotherNodeWhenItCouldNotBeSent() {
    world.nodeBulk(bulk);
    world.sent.getLast().fail(NodeCallException.Kind.NOT_SENT, WHY);
    assertThat(world.sent).hasSize(2);
    String second = world.sent.getLast().nodeId();
    assertThat(second).isNotEqualTo(world.sent.getFirst().nodeId());
    assertThat(world.lanes.writeBytesLimiter(second).inFlightBytes()).isEqualTo(underWay());
    answer();
    assertThat(items()).hasSize(2);
  }

  @Test
  void doNotRetryAfterANodeMayHaveStarted() {
    world.nodeBulk(bulk);
    world.sent.getLast().fail(NodeCallException.Kind.CONNECTION_LOST, WHY);
    assertThat(world.sent).hasSize(1);
    assertThat(items())
        .hasSize(2)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage()).contains("the outcome is not known");
        });
  }

  @Test
  void tellsANodesRefusalOfEachItem() {
    world.nodeBulk(bulk);
    world.sent.getLast().fail(NodeCallException.Kind.REMOTE, WHY);
    assertThat(items())
        .hasSize(2)
        .allSatisfy(item -> assertThat(item.getFailure().getCause()).isSameAs(WHY));
  }

  @Test
  void waitForCapacityOnItsNode() {
    world.nodeBulk(bulk);
    String node = world.sent.getFirst().nodeId();
    answer();
    world.sent.clear();
    world.response = null;
    var others =
        world
            .lanes
            .writeBytesLimiter(node)
            .acquire(world.lanes.writeBytesLimiter(node).limitBytes(), lease -> {});
    world.nodeBulk(bulk);
    assertThat(world.sent).isEmpty();
    others.onResponse();
    assertThat(world.sent).extracting(DocumentActionsFixture.Sent::nodeId).containsExactly(node);
    answer();
    assertThat(items()).hasSize(2);
  }

  @Test
  void saysThatTheOutcomeIsNotKnownWhenTheDeadlinePasses() {
    world.context.limitDeadline(Deadline.after(0, Duration.ofSeconds(1), "a test"));
    world.nodeBulk(bulk);
    world.context.expire("late");
    assertThat(items())
        .hasSize(2)
        .allSatisfy(
            item -> assertThat(item.getFailureMessage()).contains("the outcome is not known"));
  }
}
