package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.model.ClientIdentity;
import dev.weir.model.ForwardingExchange;
import dev.weir.protocol.NodeCallException;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.OpenSearchSecurityException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.DocWriteResponse.Result;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.engine.VersionConflictEngineException;
import org.opensearch.index.mapper.MapperParsingException;
import org.opensearch.node.NodeClosedException;
import org.opensearch.transport.RemoteTransportException;

/** A user's bulks, which the nodes of the shards authorize, when a node rejects them or is lost. */
class AuthorizedBulkRetryTest {
  private static final IndexMetadata FIRST =
      DocumentActionsFixture.index(DataStream.getDefaultBackingIndexName("events", 1), "u1", 1);
  private static final IndexMetadata SECOND =
      DocumentActionsFixture.index(DataStream.getDefaultBackingIndexName("events", 2), "u2", 1);
  private static final ShardId SHARD = new ShardId(FIRST.getIndex(), 0);

  private final DocumentActionsFixture world = new DocumentActionsFixture(view(1, FIRST));

  AuthorizedBulkRetryTest() {
    world.flow.updatePolicy(BulkPolicy.Retry.DEFAULT);
    world
        .context
        .resources()
        .inheritFrom(
            new ForwardingExchange(TestExchange.of("POST", "/_bulk")) {
              @Override
              public ClientIdentity identity() {
                return new Shipper();
              }
            });
  }

  /** The user of a log shipper. */
  private static final class Shipper implements ClientIdentity {
    @Override
    public Map<String, String> transportHeaders() {
      return Map.of("user", "shipper");
    }

    @Override
    public boolean isRestricted() {
      return false;
    }

    @Override
    public boolean canSearch(Collection<String> indices) {
      return false;
    }
  }

  /** A view in which these indices are the data stream {@code events}. */
  private static ClusterView view(long version, IndexMetadata... indices) {
    ClusterView plain = DocumentActionsFixture.view(version, indices);
    Metadata.Builder metadata =
        Metadata.builder(plain.state().metadata())
            .put(
                new DataStream(
                    "events",
                    new DataStream.TimestampField("@timestamp"),
                    Arrays.stream(indices).map(IndexMetadata::getIndex).toList(),
                    indices.length));
    return new ClusterView(
        ClusterState.builder(plain.state()).metadata(metadata).build(), plain.nodes(), 0, false);
  }

  private static IndexRequest append() {
    return new IndexRequest("events").create(true).source("a", 1);
  }

  private static BulkItemResponse created(DocWriteRequest<?> request) {
    IndexResponse done = new IndexResponse(SHARD, request.id(), 7, 1, 1, true);
    done.setShardInfo(new ShardInfo(2, 2));
    return new BulkItemResponse(0, request.opType(), done);
  }

  private static BulkItemResponse failed(DocWriteRequest<?> request, Exception cause) {
    return new BulkItemResponse(
        0,
        request.opType(),
        new BulkItemResponse.Failure(SHARD.getIndexName(), request.id(), cause));
  }

  private static Exception conflict(DocWriteRequest<?> request) {
    return new VersionConflictEngineException(
        SHARD, request.id(), "version conflict, document already exists (current version [1])");
  }

  private static Exception full() {
    return new OpenSearchRejectedExecutionException("queue full");
  }

  /** Returns the items of the last call. */
  private List<DocWriteRequest<?>> sent() {
    assertThat(world.sent.getLast().call().action()).isEqualTo(BulkAction.NAME);
    return ((BulkRequest) world.sent.getLast().call().payload()).requests();
  }

  /** Answers the last call as a node. */
  private void answer(BulkItemResponse... items) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      new BulkResponse(items, 1).writeTo(out);
      world
          .sent
          .getLast()
          .reply(world.sent.getLast().call().reader().read(out.bytes().streamInput()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void loseConnection() {
    world
        .sent
        .getLast()
        .fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
  }

  private void resume() {
    world.later.removeFirst().run();
  }

  private BulkItemResponse[] items() {
    return Objects.requireNonNull(world.response).getItems();
  }

  private void assertSentAgainAsItWas(String id) {
    assertThat(sent())
        .singleElement()
        .isInstanceOfSatisfying(
            IndexRequest.class,
            again -> {
              assertThat(again.opType()).isEqualTo(OpType.CREATE);
              assertThat(again.index()).isEqualTo("events");
              assertThat(again.id()).isEqualTo(id);
              assertThat(again.isRetry()).isFalse();
            });
  }

  @Test
  void repeatARejectedAppendUnchanged() {
    world.bulk(new BulkRequest().add(append()).add(append()));
    String id = sent().get(1).id();
    answer(created(sent().get(0)), failed(sent().get(1), full()));
    resume();

    assertSentAgainAsItWas(id);
    answer(created(sent().getFirst()));
    assertThat(items()).noneMatch(BulkItemResponse::isFailed);
    assertThat(items()).extracting(BulkItemResponse::getItemId).containsExactly(0, 1);
  }

  @Test
  void reportAnAppendAsCreatedThatALostAttemptWrote() {
    world.bulk(new BulkRequest().add(append()));
    String id = sent().getFirst().id();
    answer(failed(sent().getFirst(), full()));
    resume();
    loseConnection();

    assertSentAgainAsItWas(id);
    answer(failed(sent().getFirst(), conflict(sent().getFirst())));
    BulkItemResponse item = items()[0];
    assertThat(item.isFailed()).isFalse();
    assertThat(item.getOpType()).isEqualTo(OpType.CREATE);
    assertThat(item.getId()).isEqualTo(id);
    assertThat(item.getIndex()).isEqualTo(SHARD.getIndexName());
    assertThat(item.getResponse().getResult()).isEqualTo(Result.CREATED);
    assertThat(item.getResponse().getVersion()).isEqualTo(1);
    assertThat(item.getResponse().getSeqNo()).isNegative();
    assertThat(item.getResponse().getShardInfo()).isNotNull();
  }

  @Test
  void reportAConflictOfAnIdThatTheClientChose() {
    world.bulk(new BulkRequest().add(append().id("own")));
    answer(failed(sent().getFirst(), conflict(sent().getFirst())));
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.CONFLICT);
  }

  @Test
  void repeatItemsWhoseNodeClosesAndReportTheUnknownOutcomeIfThatFails() {
    world.bulk(new BulkRequest().add(append()));
    answer(failed(sent().getFirst(), new NodeClosedException(node())));
    assertThat(world.response).isNull();
    resume();

    answer(failed(sent().getFirst(), new OpenSearchSecurityException("no", RestStatus.FORBIDDEN)));
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
    assertThat(items()[0].getFailureMessage()).contains("may have been done the first time");
  }

  @Test
  void reportUnknownOutcomesWhereNoRetryIsAllowed() {
    world.flow.updatePolicy(BulkPolicy.Retry.NEVER);
    world.bulk(new BulkRequest().add(append()));
    answer(failed(sent().getFirst(), new NodeClosedException(node())));
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
  }

  @Test
  void neverReportARejectionOfWhatALostAttemptMayHaveWritten() {
    world.flow.updatePolicy(BulkPolicy.Retry.NEVER);
    world.bulk(new BulkRequest().add(append()));
    loseConnection();
    answer(failed(sent().getFirst(), full()));
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
  }

  @Test
  void reportADocumentThatIsItselfAtFault() {
    world.bulk(new BulkRequest().add(append()));
    loseConnection();
    answer(failed(sent().getFirst(), new MapperParsingException("no date")));
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.BAD_REQUEST);
  }

  /** A node would write a second document, into the new index. */
  @Test
  void repeatNothingOnceTheDataStreamHasAnotherWriteIndex() {
    world.bulk(new BulkRequest().add(append()));
    world.comes(view(2, FIRST, SECOND));
    loseConnection();

    assertThat(world.sent).hasSize(1);
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
    assertThat(items()[0].getFailureMessage())
        .contains("[events] no longer writes to [" + SHARD.getIndexName() + "]");
  }

  @Test
  void repeatWhatABreakerRejectedOnArrival() {
    world.bulk(new BulkRequest().add(append()));
    String id = sent().getFirst().id();
    world
        .sent
        .getFirst()
        .fail(
            NodeCallException.Kind.REMOTE,
            new RemoteTransportException(
                "n1",
                new TransportAddress(InetAddress.getLoopbackAddress(), 9300),
                BulkAction.NAME,
                new CircuitBreakingException(
                    "[parent] Data too large, data for [" + BulkAction.NAME + "] would be",
                    CircuitBreaker.Durability.TRANSIENT)));
    assertThat(world.response).isNull();
    resume();
    assertSentAgainAsItWas(id);
  }

  private DiscoveryNode node() {
    return world.current().state().nodes().getNodes().values().iterator().next();
  }
}
