package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.lines.LineShardRequest;
import dev.weir.model.Deadline;
import dev.weir.protocol.NodeCallException;
import dev.weir.rest.bulk.BulkLines;
import dev.weir.rest.bulk.LineBulkRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.engine.VersionConflictEngineException;

/** Bulks whose documents stay lines of the client's body. */
class LineBulkTest {
  private static final int DOCUMENTS = 60;
  private static final IndexMetadata LOGS = DocumentActionsFixture.index("logs", "u1", 3);

  private static DocumentActionsFixture world(IndexMetadata... indices) {
    return new DocumentActionsFixture(DocumentActionsFixture.view(1, indices));
  }

  private static LineBulkRequest bulk(boolean create, boolean named) {
    StringBuilder body = new StringBuilder();
    List<int[]> places = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      int from = body.length();
      body.append("id").append(i);
      int idEnd = body.length();
      body.append("{\"n\":").append(i).append('}');
      places.add(new int[] {from, idEnd - from, idEnd, body.length() - idEnd});
    }
    BulkLines lines =
        new BulkLines(
            body.toString().getBytes(StandardCharsets.US_ASCII),
            new BulkLines.Traits("logs", create, named));
    places.forEach(place -> lines.add(place[0], place[1], place[2], place[3]));
    return new LineBulkRequest(lines);
  }

  private static BulkItemResponse[] items(DocumentActionsFixture world) {
    return Objects.requireNonNull(world.response).getItems();
  }

  private static byte[] bytes(Writeable written) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      written.writeTo(out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  /** Answers with the bytes of a reply, as the call reads them; an item may conflict. */
  private static void reply(DocumentActionsFixture.Sent sent, int conflict) throws IOException {
    BulkShardRequest request = sent.shard();
    BulkItemResponse[] items = new BulkItemResponse[request.items().length];
    for (int i = 0; i < items.length; i++) {
      BulkItemRequest item = request.items()[i];
      String id = item.request().id();
      IndexResponse done = new IndexResponse(request.shardId(), id, i, 1, 1, true);
      done.setShardInfo(new ShardInfo());
      items[i] =
          item.id() == conflict
              ? new BulkItemResponse(
                  item.id(),
                  item.request().opType(),
                  new BulkItemResponse.Failure(
                      "logs",
                      id,
                      new VersionConflictEngineException(request.shardId(), id, "there")))
              : new BulkItemResponse(item.id(), item.request().opType(), done);
    }
    BulkShardResponse reply = new BulkShardResponse(request.shardId(), items);
    reply.setShardInfo(new ShardInfo(1, 1));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      reply.writeTo(out);
      sent.reply(sent.call().reader().read(out.bytes().streamInput()));
    }
  }

  @Test
  void sendsTheBytesOfOrdinaryItems() throws IOException {
    DocumentActionsFixture world = world(LOGS);
    LineBulkRequest lines = bulk(true, true);
    world.bulk(lines);
    assertThat(lines.lines()).isNotNull();
    BulkRequest same = new BulkRequest();
    bulk(true, true).requests().forEach(same::add);
    DocumentActionsFixture ordinary = world(LOGS);
    ordinary.bulk(same);
    assertThat(world.sent).hasSize(3);
    for (int i = 0; i < 3; i++) {
      Writeable sent = world.sent.get(i).call().payload();
      Writeable expected = ordinary.sent.get(i).call().payload();
      assertThat(sent).isInstanceOf(LineShardRequest.class);
      assertThat(bytes(sent)).isEqualTo(bytes(expected));
      assertThat(((LineShardRequest) sent).ramBytesUsed())
          .isEqualTo(
              Arrays.stream(((BulkShardRequest) expected).items())
                  .mapToLong(BulkItemRequest::ramBytesUsed)
                  .sum());
    }
  }

  @Test
  void answersInOrderWithoutARequestForEachDocument() throws IOException {
    DocumentActionsFixture world = world(LOGS);
    LineBulkRequest lines = bulk(false, false);
    world.bulk(lines);
    List<String> ids = new ArrayList<>(Stream.generate(() -> "").limit(DOCUMENTS).toList());
    for (DocumentActionsFixture.Sent sent : world.sent.reversed()) {
      for (BulkItemRequest item : sent.shard().items()) {
        IndexRequest document = (IndexRequest) item.request();
        ids.set(item.id(), document.id());
        assertThat(document.source().utf8ToString()).isEqualTo("{\"n\":" + item.id() + "}");
        assertThat(document.getAutoGeneratedTimestamp()).isPositive();
        assertThat(document.isPipelineResolved()).isTrue();
        assertThat(OperationRouting.generateShardId(LOGS, document.id(), null))
            .isEqualTo(sent.shard().shardId().id());
      }
      reply(sent, -1);
    }
    assertThat(lines.lines()).as("still lines").isNotNull();
    assertThat(items(world)).extracting(BulkItemResponse::getId).containsExactlyElementsOf(ids);
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(items(world)).allSatisfy(item -> assertThat(item.isFailed()).isFalse());
  }

  @Test
  void reportsTheItemThatFailed() throws IOException {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(bulk(true, true));
    for (DocumentActionsFixture.Sent sent : List.copyOf(world.sent)) {
      reply(sent, 7);
    }
    assertThat(items(world)).filteredOn(BulkItemResponse::isFailed).hasSize(1);
    assertThat(items(world)[7].status()).isEqualTo(RestStatus.CONFLICT);
    assertThat(items(world)[8].status()).isEqualTo(RestStatus.CREATED);
  }

  /** The node that has the shard may have written the documents before its connection was lost. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void repeatsALostPartWithTheSameIdsMarkedAsRetry(boolean create) throws IOException {
    DocumentActionsFixture world = world(LOGS);
    world.bulk(bulk(create, false));
    DocumentActionsFixture.Sent lost = world.sent.getFirst();
    lost.fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("lost"));
    assertThat(world.sent).hasSize(4);
    BulkItemRequest[] first = lost.shard().items();
    BulkItemRequest[] second = world.sent.getLast().shard().items();
    assertThat(second).hasSameSizeAs(first);
    for (int i = 0; i < first.length; i++) {
      IndexRequest before = (IndexRequest) first[i].request();
      IndexRequest after = (IndexRequest) second[i].request();
      assertThat(before.isRetry()).isFalse();
      assertThat(after.isRetry()).isTrue();
      assertThat(after.opType()).isEqualTo(OpType.INDEX);
      assertThat(second[i].id()).isEqualTo(first[i].id());
      assertThat(after.id()).isEqualTo(before.id());
      assertThat(after.source()).isEqualTo(before.source());
      assertThat(after.getAutoGeneratedTimestamp()).isEqualTo(before.getAutoGeneratedTimestamp());
    }
    for (DocumentActionsFixture.Sent sent : world.sent.subList(1, 4)) {
      reply(sent, -1);
    }
    assertThat(items(world))
        .allSatisfy(item -> {
          assertThat(item.status()).isEqualTo(RestStatus.CREATED);
          assertThat(item.getOpType()).isEqualTo(create ? OpType.CREATE : OpType.INDEX);
        });
  }

  @Test
  void reportsEachItemsOutcomeAtTheDeadline() throws IOException {
    DocumentActionsFixture world = world(LOGS);
    world.context.limitDeadline(Deadline.after(0, Duration.ofMillis(250), "header X-Weir-Timeout"));
    world.bulk(bulk(false, true));
    int done = world.sent.getFirst().shard().items().length;
    reply(world.sent.getFirst(), -1);
    world.context.expire("late");
    assertThat(items(world)).hasSize(DOCUMENTS);
    assertThat(items(world)).filteredOn(item -> !item.isFailed()).hasSize(done);
    assertThat(items(world))
        .filteredOn(BulkItemResponse::isFailed)
        .allSatisfy(item ->
            assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT));
  }

  @Test
  void goesToTheIndexThatTookTheNameOver() throws IOException {
    DocumentActionsFixture world = world(DocumentActionsFixture.index("logs", "u1", 1));
    world.bulk(bulk(true, true));
    IndexMetadata recreated = DocumentActionsFixture.index("logs", "u2", 1);
    world.comes(DocumentActionsFixture.view(2, recreated));
    world
        .sent
        .getFirst()
        .fail(
            NodeCallException.Kind.REMOTE,
            new IndexNotFoundException(world.sent.getFirst().shard().shardId().getIndex()));
    DocumentActionsFixture.Sent again = world.sent.getLast();
    assertThat(again.shard().shardId().getIndex()).isEqualTo(recreated.getIndex());
    assertThat(again.shard().items())
        .extracting(item -> item.request().opType())
        .containsOnly(OpType.CREATE);
    reply(again, -1);
    assertThat(items(world)).allSatisfy(item -> assertThat(item.isFailed()).isFalse());
  }

  private static IndexMetadata logs(
      UnaryOperator<IndexMetadata.Builder> change, String... settings) {
    return change
        .apply(IndexMetadata.builder(DocumentActionsFixture.index("logs", "u1", 3, settings)))
        .build();
  }

  static Stream<Arguments> indicesThatNeedMore() throws IOException {
    return Stream.of(
        Arguments.of("closed", logs(index -> index.state(IndexMetadata.State.CLOSE))),
        Arguments.of("system", logs(index -> index.system(true))),
        Arguments.of(
            "append-only",
            logs(index -> index, IndexMetadata.SETTING_INDEX_APPEND_ONLY_ENABLED, "true")),
        Arguments.of(
            "routing",
            IndexMetadata.builder(LOGS).putMapping("{\"_routing\":{\"required\":true}}").build()),
        Arguments.of(
            "pipeline", logs(index -> index, IndexSettings.FINAL_PIPELINE.getKey(), "enrich")),
        Arguments.of(
            "alias",
            IndexMetadata.builder(DocumentActionsFixture.index("concrete", "u2", 3))
                .putAlias(AliasMetadata.builder("logs"))
                .build()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("indicesThatNeedMore")
  void areRequestsWhereTheIndexNeedsMoreThanAnId(String why, IndexMetadata index) {
    LineBulkRequest lines = bulk(false, true);
    DocumentActionsFixture world = world(index);
    world.bulk(lines);
    assertThat(lines.lines()).as(why).isNull();
    DocumentActionsFixture ordinary = world(index);
    BulkRequest same = new BulkRequest();
    bulk(false, true).requests().forEach(same::add);
    ordinary.bulk(same);
    assertThat(world.sent).hasSameSizeAs(ordinary.sent);
    assertThat(String.valueOf(world.failure)).isEqualTo(String.valueOf(ordinary.failure));
    assertThat(outcome(world)).isEqualTo(outcome(ordinary));
  }

  private static List<String> outcome(DocumentActionsFixture world) {
    return world.response == null
        ? List.of()
        : Stream.of(world.response.getItems()).map(BulkItemResponse::getFailureMessage).toList();
  }

  @Test
  void areRequestsWhereARequestNeedsMoreThanAnId() {
    DocumentActionsFixture directing = world(LOGS);
    directing.directs(
        new BulkPolicy.SingleShard(
            List.of("logs"), 2, BulkPolicy.SingleShard.DEFAULT.shardSelection()));
    LineBulkRequest directed = bulk(false, false);
    directing.bulk(directed);
    assertThat(directed.lines()).as("single shard").isNull();
    assertThat(directing.sent).hasSize(1);
    LineBulkRequest named = bulk(false, true);
    directing.bulk(named);
    assertThat(named.lines()).as("ids decide about the shard").isNotNull();

    DocumentActionsFixture replicating = world(LOGS);
    replicating.context.resources().setDocumentsReplicated();
    LineBulkRequest replicated = bulk(false, false);
    replicating.bulk(replicated);
    assertThat(replicated.lines()).as("replicated").isNull();

    LineBulkRequest missing = bulk(false, false);
    world().bulk(missing);
    assertThat(missing.lines()).as("missing index").isNull();
  }
}
