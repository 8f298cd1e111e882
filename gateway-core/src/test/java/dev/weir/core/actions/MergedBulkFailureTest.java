package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.core.actions.DocumentActionsFixture.Client;
import dev.weir.core.actions.DocumentActionsFixture.Sent;
import dev.weir.protocol.NodeCallException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.transport.RemoteTransportException;

/** The outcome of merged bulks when their call fails. */
class MergedBulkFailureTest {
  private final DocumentActionsFixture world =
      new DocumentActionsFixture(
          DocumentActionsFixture.view(1, DocumentActionsFixture.index("logs", "u1", 1)));
  private Client one;
  private Client other;

  private static BulkRequest bulk(String id) {
    return new BulkRequest()
        .add(new IndexRequest("logs").source(Map.of("of", id)).create(true))
        .add(new IndexRequest("logs").id(id).source(Map.of("of", id)));
  }

  /** Sends two bulks together, after one that has ended. */
  @BeforeEach
  void sendTogether() {
    world.flow.updatePolicy(BulkPolicy.Retry.DEFAULT);
    world.merges(
        new BulkPolicy.Merge(List.of("logs"), Duration.ofMillis(5), 5, 12, new ByteSize(1 << 20)));
    Client first = world.send(bulk("first"));
    one = world.send(bulk("one"));
    other = world.send(bulk("other"));
    world.sent.getFirst().created();
    assertThat(first.response).isNotNull();
    later();
    assertThat(world.sent).hasSize(2);
    assertThat(slots()).containsExactly(0, 1, 0, 1);
  }

  @AfterEach
  void nothingIsLeft() {
    one.context.end();
    other.context.end();
    assertThat(world.lanes.writeBytesLimiter("n1").inFlightBytes()).isZero();
    assertThat(world.lanes.writeBytesLimiter("n1").waiting()).isZero();
    assertThat(world.wayIn.bulkMerger().counts().waitingParts()).isZero();
  }

  /** The wait of queued bulks ends. */
  private void later() {
    List<Runnable> due = List.copyOf(world.later);
    world.later.clear();
    due.forEach(Runnable::run);
  }

  private Sent last() {
    return world.sent.getLast();
  }

  private List<Integer> slots() {
    return Arrays.stream(last().shard().items()).map(BulkItemRequest::id).toList();
  }

  private List<IndexRequest> documents() {
    return Arrays.stream(last().shard().items())
        .map(item -> (IndexRequest) item.request())
        .toList();
  }

  private List<String> ids() {
    return documents().stream().map(IndexRequest::id).toList();
  }

  private static BulkItemResponse[] items(Client client) {
    return Objects.requireNonNull(client.response).getItems();
  }

  private static void assertDone(Client client, List<String> ids) {
    assertThat(items(client)).noneMatch(BulkItemResponse::isFailed);
    assertThat(items(client)).extracting(BulkItemResponse::getId).isEqualTo(ids);
    assertThat(items(client)[0].getOpType()).isEqualTo(OpType.CREATE);
  }

  private static void assertUnknown(Client client) {
    assertThat(items(client))
        .hasSize(2)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage()).contains("the outcome is not known");
        });
  }

  @Test
  void retryMarkedAfterALostConnection() {
    List<String> ids = ids();
    last().fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    later();
    assertThat(world.sent).hasSize(3);
    assertThat(ids()).isEqualTo(ids);
    assertThat(documents()).allMatch(IndexRequest::isRetry);
    assertThat(documents()).extracting(IndexRequest::opType).containsOnly(OpType.INDEX);
    assertThat(one.response).isNull();
    last().created();
    assertDone(one, ids.subList(0, 2));
    assertDone(other, ids.subList(2, 4));
  }

  @Test
  void retryALostCallWithoutClientsThatLeft() {
    List<String> ids = ids();
    last().fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    one.context.cancel("gone");
    later();
    assertThat(ids()).isEqualTo(ids.subList(2, 4));
    last().created();
    assertDone(other, ids.subList(2, 4));
    assertThat(one.response).isNull();
  }

  @Test
  void retryUnchangedAfterARejectionOnArrival() {
    List<String> ids = ids();
    Exception full = new OpenSearchRejectedExecutionException("full");
    TransportAddress address = new TransportAddress(InetAddress.getLoopbackAddress(), 9300);
    last()
        .fail(
            NodeCallException.Kind.REMOTE,
            new RemoteTransportException(
                "n1", address, TransportShardBulkAction.ACTION_NAME, full));
    later(); // both pauses, after which they are merged again
    later();
    assertThat(world.sent).hasSize(3);
    assertThat(ids()).isEqualTo(ids);
    assertThat(documents()).noneMatch(IndexRequest::isRetry);
    last().created();
    assertDone(one, ids.subList(0, 2));
    assertDone(other, ids.subList(2, 4));
  }

  @Test
  void reportUnknownOutcomeForAResponseWithOtherItems() {
    last().shard(); // serializes the request
    last().reply(new BulkShardResponse(last().shard().shardId(), new BulkItemResponse[0]));
    assertThat(world.sent).hasSize(2);
    assertUnknown(one);
    assertUnknown(other);
  }

  @Test
  void reportUnknownOutcomeWhenALostCallCannotBeRetried() {
    last().fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    Exception full = new OpenSearchRejectedExecutionException("too many bytes unsent");
    for (int attempt = 0; attempt <= BulkPolicy.Retry.DEFAULT.maxRetries(); attempt++) {
      int sent = world.sent.size();
      later(); // the pauses
      later(); // the wait for further bulks
      assertThat(world.sent).hasSize(sent + 1);
      last().fail(NodeCallException.Kind.NOT_SENT, full);
    }
    assertUnknown(one);
    assertUnknown(other);
  }
}
