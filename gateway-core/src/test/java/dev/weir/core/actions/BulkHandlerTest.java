package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opensearch.OpenSearchException;
import org.opensearch.ResourceAlreadyExistsException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.DocWriteResponse.Result;
import org.opensearch.action.admin.indices.create.AutoCreateAction;
import org.opensearch.action.admin.indices.create.CreateIndexResponse;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.get.GetResult;
import org.opensearch.script.Script;

class BulkHandlerTest {
  private static final IndexMetadata LOGS = DocumentActionsFixture.index("logs", "u1", 3);

  private static IndexRequest document(String index) {
    return new IndexRequest(index).source("a", 1);
  }

  private static DocumentActionsFixture world(IndexMetadata... indices) {
    return new DocumentActionsFixture(DocumentActionsFixture.view(1, indices));
  }

  private static BulkItemResponse[] items(DocumentActionsFixture world) {
    return Objects.requireNonNull(world.response).getItems();
  }

  @Test
  void reportEachItemsOutcomeAtTheDeadline() {
    DocumentActionsFixture world = world(LOGS);
    world.context.limitDeadline(Deadline.after(0, Duration.ofMillis(250), "header X-Weir-Timeout"));
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 60; i++) {
      bulk.add(document("logs").id("d" + i));
    }
    world.bulk(bulk);
    assertThat(world.sent).hasSize(3);
    assertThat(world.sent)
        .allSatisfy(sent -> assertThat(sent.shard().timeout().millis()).isEqualTo(250));
    world.sent.getFirst().created();
    world.context.expire("late");
    int done = world.sent.getFirst().shard().items().length;
    assertThat(items(world)).hasSize(60);
    assertThat(items(world)).filteredOn(item -> !item.isFailed()).hasSize(done);
    assertThat(items(world))
        .filteredOn(BulkItemResponse::isFailed)
        .hasSize(60 - done)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage())
              .contains("[250ms]", "[header X-Weir-Timeout]", "the outcome is not known");
        });
    world.sent.getLast().created();
    assertThat(items(world)).filteredOn(item -> !item.isFailed()).hasSize(done);
  }

  @Test
  void reportUnsentItemsAsNotExecutedAtTheDeadline() {
    DocumentActionsFixture world = world();
    world.context.limitDeadline(Deadline.after(0, Duration.ofMillis(250), "header X-Weir-Timeout"));
    world.bulk(new BulkRequest().add(document("new").id("1")).add(document("other").id("2")));
    world.context.expire("late"); // while the indices are being created
    assertThat(items(world))
        .hasSize(2)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage()).contains("nothing was done");
        });
  }

  @Test
  void groupsItemsByShardAndAnswersInOrder() {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 60; i++) {
      bulk.add(document("logs").id("d" + i));
    }
    world.bulk(bulk);
    assertThat(world.sent).hasSize(3);
    for (DocumentActionsFixture.Sent sent : world.sent) {
      assertThat(sent.call().action()).isEqualTo(TransportShardBulkAction.ACTION_NAME);
      for (BulkItemRequest item : sent.shard().items()) {
        assertThat(OperationRouting.generateShardId(LOGS, item.request().id(), null))
            .isEqualTo(sent.shard().shardId().id());
      }
    }
    List<DocumentActionsFixture.Sent> backwards = new ArrayList<>(world.sent).reversed();
    backwards.forEach(DocumentActionsFixture.Sent::created);
    assertThat(items(world))
        .extracting(BulkItemResponse::getId)
        .containsExactly(
            bulk.requests().stream().map(request -> request.id()).toArray(String[]::new));
  }

  @Test
  void doNotAdviseRetryOfWritesOfUnknownOutcome() {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 60; i++) {
      bulk.add(document("logs").id("d" + i));
    }
    world.bulk(bulk);
    Exception full =
        new CircuitBreakingException("Data too large", CircuitBreaker.Durability.TRANSIENT);
    world.sent.get(0).fail(NodeCallException.Kind.OVER_BUDGET, full);
    world.sent.get(1).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    world.sent.get(3).fail(NodeCallException.Kind.NOT_SENT, full);
    world.sent.get(2).created();

    assertThat(world.sent).hasSize(4);
    assertThat(items(world))
        .filteredOn(BulkItemResponse::isFailed)
        .hasSize(
            world.sent.get(0).shard().items().length + world.sent.get(1).shard().items().length)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage())
              .contains("it was sent to a node", "the outcome is not known", "Data too large");
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeCallException.Kind.class,
      names = {"TIMED_OUT", "MALFORMED"})
  void reportUnknownOutcomeOnlyForTheFailedShard(NodeCallException.Kind kind) {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 60; i++) {
      bulk.add(document("logs").id("d" + i));
    }
    world.bulk(bulk);
    int lost = world.sent.get(0).shard().items().length;
    world.sent.get(0).fail(kind, new OpenSearchException("no answer"));
    world.sent.get(1).created();
    world.sent.get(2).created();
    assertThat(world.sent).hasSize(3);
    assertThat(items(world))
        .filteredOn(BulkItemResponse::isFailed)
        .hasSize(lost)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage())
              .contains("it may have been done", "the outcome is not known", "no answer");
        });
  }

  @Test
  void keepGeneratedIdsForAnAppendOnlyIndex() {
    DocumentActionsFixture world =
        world(DocumentActionsFixture.index("logs", "u1", 1, "index.append_only.enabled", "true"));
    BulkRequest bulk = new BulkRequest().add(document("logs")).add(document("logs").id("own"));
    bulk.add(new IndexRequest("alias").source("a", 1).setRequireAlias(true));
    world.bulk(bulk);
    assertThat(world.sent).hasSize(1);
    assertThat(world.sent.getFirst().shard().items())
        .extracting(BulkItemRequest::id)
        .containsExactly(0);
    world.sent.getFirst().created();
    assertThat(items(world)[0].isFailed()).isFalse();
    assertThat(items(world)[1].getFailureMessage()).contains("with a custom document id own");
    assertThat(items(world)[2].getFailure().getCause()).isInstanceOf(IndexNotFoundException.class);
  }

  @Test
  void holdsTheFrameOfDocumentsThatUpdatesReturnUntilTheEnd() {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 30; i++) {
      bulk.add(new UpdateRequest("logs", "d" + i).doc("a", 1).fetchSource(true));
    }
    world.bulk(bulk);
    HeldCount plain = new HeldCount();
    HeldCount withDocuments = new HeldCount();
    updated(world.sent.get(0), plain, null);
    updated(
        world.sent.get(1),
        withDocuments,
        new GetResult("logs", "d", 1, 1, 1, true, new BytesArray("{}"), Map.of(), Map.of()));
    world.sent.get(2).created();

    assertThat(plain.held).isZero();
    assertThat(withDocuments.held).isEqualTo(1);
    world.context.end();
    assertThat(withDocuments.held).isZero();
  }

  private static void updated(
      DocumentActionsFixture.Sent sent, HeldCount frame, @Nullable GetResult document) {
    BulkShardRequest request = sent.shard();
    List<BulkItemResponse> items = new ArrayList<>();
    for (BulkItemRequest item : request.items()) {
      UpdateResponse done =
          new UpdateResponse(request.shardId(), item.request().id(), 1, 1, 1, Result.UPDATED);
      done.setGetResult(document);
      items.add(new BulkItemResponse(item.id(), OpType.UPDATE, done));
    }
    BulkShardResponse reply =
        new BulkShardResponse(request.shardId(), items.toArray(BulkItemResponse[]::new));
    reply.setShardInfo(new ShardInfo(1, 1));
    sent.reply(reply, frame);
  }

  /** A frame that counts its references. */
  private static final class HeldCount implements ReplyFrame {
    private int held;

    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 1;
    }

    @Override
    public void retain() {
      held++;
    }

    @Override
    public void release() {
      held--;
    }
  }

  @Test
  void markARetryAndReportAGeneratedCreateAsCreated() {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(new BulkRequest().add(document("logs").create(true)));
    IndexRequest first = (IndexRequest) world.sent.get(0).shard().items()[0].request();
    assertThat(first.isRetry()).isFalse();
    String id = first.id();
    world.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    IndexRequest second = (IndexRequest) world.sent.get(1).shard().items()[0].request();
    assertThat(second.isRetry()).isTrue();
    assertThat(second.id()).isEqualTo(id);
    assertThat(second.opType()).isEqualTo(OpType.INDEX);
    world.sent.get(1).created();
    assertThat(items(world)[0].getOpType()).isEqualTo(OpType.CREATE);
    assertThat(items(world)[0].status()).isEqualTo(RestStatus.CREATED);
  }

  @Test
  void leavesACreateWithTheClientsIdACreateWhenItIsRepeated() {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(new BulkRequest().add(document("logs").id("mine").create(true)));
    world.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    assertThat(world.sent.get(1).shard().items()[0].request().opType()).isEqualTo(OpType.CREATE);
  }

  @Test
  void doesNotRepeatAScriptThatMayHaveRun() {
    DocumentActionsFixture world = world(DocumentActionsFixture.index("logs", "u1", 1));
    UpdateRequest counts = new UpdateRequest("logs", "c").script(new Script("ctx._source.n++"));
    world.bulk(new BulkRequest().add(counts).add(document("logs").id("d")));
    world.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    assertThat(world.sent.get(1).shard().items())
        .extracting(BulkItemRequest::id)
        .containsExactly(1);
    world.sent.get(1).created();
    assertThat(items(world)[0].getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
    assertThat(items(world)[0].getFailureMessage()).contains("the outcome is not known", "lost");
    assertThat(items(world)[1].isFailed()).isFalse();
  }

  @Test
  void createsAMissingIndexFirstAndWaitsUntilTheViewHasIt() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(document("logs").id("1")));
    assertThat(world.sent).hasSize(1);
    assertThat(world.sent.get(0).call().action()).isEqualTo(AutoCreateAction.NAME);
    world.comes(DocumentActionsFixture.view(2, LOGS));
    world.sent.get(0).reply(new CreateIndexResponse(true, true, "logs"));
    assertThat(world.sent).hasSize(2);
    world.sent.get(1).created();
    assertThat(items(world)[0].isFailed()).isFalse();
  }

  @Test
  void continueWhenAnotherRequestCreatedTheIndex() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(document("logs").id("1")));
    world.comes(DocumentActionsFixture.view(2, LOGS));
    world
        .sent
        .get(0)
        .fail(NodeCallException.Kind.REMOTE, new ResourceAlreadyExistsException("logs"));
    assertThat(world.sent.get(1).shard().shardId().getIndex()).isEqualTo(LOGS.getIndex());
  }

  @Test
  void tellsItsItemsWhyAnIndexWasNotCreated() {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(new BulkRequest().add(document("other").id("1")).add(document("logs").id("2")));
    Exception why = new OpenSearchException("too many shards");
    world.sent.get(0).fail(NodeCallException.Kind.REMOTE, why);
    world.sent.get(1).created();
    assertThat(items(world)[0].getFailure().getCause()).isSameAs(why);
    assertThat(items(world)[1].isFailed()).isFalse();
  }

  @Test
  void createsNoIndexForADelete() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(new DeleteRequest("logs", "1")));
    assertThat(world.sent).isEmpty();
    assertThat(items(world)[0].getFailure().getCause()).isInstanceOf(IndexNotFoundException.class);
  }

  @Test
  void shareTheFailureOfManyItemsOfAMissingAlias() {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 100; i++) {
      bulk.add(document("alias" + i % 2).setRequireAlias(true));
    }
    world.bulk(bulk);
    assertThat(items(world))
        .allSatisfy(item -> {
          assertThat(item.getFailure().getCause().getStackTrace()).isEmpty();
          assertThat(item.getFailure().getStatus().getStatus()).isEqualTo(404);
        });
    assertThat(
            Arrays.stream(items(world))
                .map(item -> System.identityHashCode(item.getFailure().getCause()))
                .distinct())
        .hasSize(2);
    assertThat(items(world)[99].getFailure().getMessage()).contains("alias1", "require_alias");
  }

  @Test
  void failOnlyTheItemsThatRequireAnAliasOfTheirIndex() {
    DocumentActionsFixture world = world(LOGS);
    BulkRequest bulk = new BulkRequest();
    for (int i = 0; i < 40; i++) {
      bulk.add(document("logs").id("d" + i).setRequireAlias(i % 2 == 0));
    }
    world.bulk(bulk);
    List.copyOf(world.sent).forEach(sent -> sent.created());
    assertThat(items(world)).hasSize(40);
    for (int i = 0; i < 40; i++) {
      assertThat(items(world)[i].isFailed()).isEqualTo(i % 2 == 0);
    }
  }

  @Test
  void refreshTheViewBeforeReportingAMissingIndex() {
    DocumentActionsFixture world = world();
    world.comes(DocumentActionsFixture.view(2, LOGS));
    world.bulk(new BulkRequest().add(new DeleteRequest("logs", "1")));
    assertThat(world.sent).hasSize(1);
  }

  @Test
  void sendsTheItemsToTheIndexThatTookTheNameOver() {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(new BulkRequest().add(document("logs").id("1")));
    IndexMetadata recreated = DocumentActionsFixture.index("logs", "u2", 1);
    ClusterView later = DocumentActionsFixture.view(2, recreated);
    world.comes(later);
    world
        .sent
        .get(0)
        .fail(NodeCallException.Kind.REMOTE, new IndexNotFoundException(LOGS.getIndex()));
    assertThat(world.sent.get(1).shard().shardId().getIndex()).isEqualTo(recreated.getIndex());
    world.sent.get(1).created();
    assertThat(items(world)[0].isFailed()).isFalse();
  }

  @Test
  void leavesPipelinesToANodeBeforeAnythingIsSent() {
    DocumentActionsFixture world =
        world(LOGS, DocumentActionsFixture.index("piped", "u3", 1, "index.default_pipeline", "p"));
    world.bulk(new BulkRequest().add(document("logs").id("1")).add(document("piped").id("2")));
    assertThat(world.sent).isEmpty();
    assertThat(world.failure)
        .isInstanceOf(PassThroughException.class)
        .hasMessage("ingest-pipeline");
  }

  @Test
  void leavesNothingToANodeOnceSomethingWasSent() {
    IndexMetadata system =
        IndexMetadata.builder(DocumentActionsFixture.index("logs", "u2", 1)).system(true).build();
    ClusterView bare = DocumentActionsFixture.view(2);
    List<ClusterView> views =
        List.of(
            DocumentActionsFixture.view(2, system),
            new ClusterView(bare.state(), bare.nodes(), 0, true),
            DocumentActionsFixture.view(
                2, DocumentActionsFixture.index("logs", "u2", 1, "index.final_pipeline", "p")));
    for (ClusterView later : views) {
      DocumentActionsFixture world = world(LOGS, DocumentActionsFixture.index("done", "u9", 1));
      world.bulk(new BulkRequest().add(document("logs").id("1")).add(document("done").id("2")));
      world.sent.get(1).created();
      world.comes(later);
      world
          .sent
          .get(0)
          .fail(NodeCallException.Kind.REMOTE, new IndexNotFoundException(LOGS.getIndex()));

      assertThat(world.failure).isNull();
      assertThat(world.sent).hasSize(2);
      assertThat(items(world)[0].getFailure().getCause())
          .isInstanceOf(IndexNotFoundException.class);
      assertThat(items(world)[1].isFailed()).isFalse();
    }
  }

  @Test
  void takesADocumentThatDeclinesTheDefaultPipeline() {
    DocumentActionsFixture world =
        world(DocumentActionsFixture.index("piped", "u3", 1, "index.default_pipeline", "p"));
    world.bulk(new BulkRequest().add(document("piped").id("2").setPipeline("_none")));
    assertThat(world.sent).hasSize(1);
  }

  @Test
  void sendNothingAfterADisconnect() {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(new BulkRequest().add(document("logs").id("1")));
    world.context.cancel("client gone");
    world
        .sent
        .get(0)
        .fail(NodeCallException.Kind.NOT_SENT, new OpenSearchException("no connection"));
    assertThat(world.sent).hasSize(1);
    assertThat(world.response).isNull();
  }
}
