package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.DualWriteFixture.PendingRequest;
import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.rest.ForwardedBulkAction;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.coordination.NoClusterManagerBlockService;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.lucene.uid.Versions;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.engine.VersionConflictEngineException;
import org.opensearch.index.seqno.SequenceNumbers;

/**
 * Writes of the first cluster that change nothing, because an attempt whose response was lost has
 * changed it already: by the gateway, or by a node that coordinates.
 */
class RepeatedWritesTest extends DualWriteTestCase {
  private static final ShardId SHARD = new ShardId("logs", "uuid", 0);

  private static IndexRequest create(String id) {
    return index(id, "a").opType(DocWriteRequest.OpType.CREATE);
  }

  @Test
  void writeTheDocumentOfAnUpdateThatChangesNothingWhenItIsRepeated() {
    world.blue.repeating(true);
    PendingRequest<UpdateResponse> asked = world.answered(UpdateAction.INSTANCE, update("1", "a"));
    assertThat(Objects.requireNonNull(asked.response).getResult())
        .isEqualTo(DocWriteResponse.Result.NOOP);
    assertThat(world.green.all()).containsEntry("logs/1", "1:{\"updated\":{\"v\":\"a\"}}");
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void writeAllDocumentsOfARepeatedBulk() {
    world.blue.repeating(true);
    BulkRequest bulk = new BulkRequest();
    bulk.add(update("1", "a"));
    bulk.add(index("2", "b"));
    bulk.add(create("3"));
    bulk.add(new DeleteRequest("logs", "4"));
    PendingRequest<BulkResponse> asked = world.answered(BulkAction.INSTANCE, bulk);
    assertThat(Objects.requireNonNull(asked.response).getItems()[2].status())
        .isEqualTo(RestStatus.CONFLICT);
    assertThat(world.green.all()).containsOnlyKeys("logs/1", "logs/2", "logs/3");
    assertSame();
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void writeTheDocumentOfAnUpdateThatMeetsItsLostAttempt() {
    world.blue.put("logs", "1", 5, "{}");
    world.blue.repeating(true);
    UpdateRequest update = new UpdateRequest("logs", "1").doc("{\"v\":1}", XContentType.JSON);
    update.setIfSeqNo(5).setIfPrimaryTerm(1);
    PendingRequest<UpdateResponse> asked = world.answered(UpdateAction.INSTANCE, update);
    assertThat(ExceptionsHelper.status(Objects.requireNonNull(asked.failure)))
        .isEqualTo(RestStatus.CONFLICT);
    assertThat(world.green.all()).containsEntry("logs/1", "6:{\"updated\":{\"v\":1}}");
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void readOnlyTheDocumentsOfABulkThatAreRepeated() {
    world.blue.put("logs", "1", 5, "{\"v\":1}");
    world.blue.put("logs", "2", 5, "{\"v\":2}");
    world.blue.repeating(item -> item == 0);
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(create("1")).add(create("2")));
    assertThat(world.green.all()).containsOnlyKeys("logs/1");
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void leaveTheConflictOfAnOnlyAttempt() {
    world.blue.put("logs", "1", 5, "{}");
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(create("1")));
    assertThat(world.green.calls()).isEmpty();
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void writeTheDocumentThatANodesWriteMeets() {
    world.blue.put("logs", "1", 5, "{\"v\":1}");
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(create("1")));
    assertSame();
    assertThat(world.green.all()).hasSize(1);
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void logANodesConflictWithADocumentThatIsGone() {
    world.blue.refusing(write -> new VersionConflictEngineException(SHARD, write.id(), "deleted"));
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 not-found");
  }

  @Test
  void logAWriteOfANodeThatMetNoClusterManager() {
    world.blue.refusing(write ->
        new ClusterBlockException(
            Set.of(NoClusterManagerBlockService.NO_CLUSTER_MANAGER_BLOCK_WRITES)));
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.logged()).as("the gateway knows all attempts").isEmpty();
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("2", "a")));
    assertThat(world.loggedDocuments()).containsExactly("unknown 2 0 cluster_block_exception");
  }

  private static Stream<Exception> refusalsOfRepetitions() {
    return Stream.of(
        new CircuitBreakingException("full", CircuitBreaker.Durability.TRANSIENT),
        new ClusterBlockException(Set.of(IndexMetadata.INDEX_WRITE_BLOCK)));
  }

  /** The first attempt has written the document. */
  @ParameterizedTest
  @MethodSource("refusalsOfRepetitions")
  void logAWriteWhoseRepetitionIsRefused(Exception refusal) {
    world.blue.repeating(item -> item == 0);
    Set<String> attempted = new HashSet<>();
    world.blue.refusing(
        write -> write.id().equals("1") && attempted.add(write.id()) ? null : refusal);
    world.answered(UpdateAction.INSTANCE, update("1", "a"));
    assertThat(world.blue.all()).containsOnlyKeys("logs/1");
    String type = Cause.of(refusal).type();
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 " + type);
    attempted.clear();
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(index("1", "b")).add(create("2")));
    assertThat(world.loggedDocuments())
        .as("the second item was sent once")
        .containsExactly("unknown 1 0 " + type, "unknown 1 0 " + type);
  }

  @ParameterizedTest
  @EnumSource(
      value = RestStatus.class,
      names = {"BAD_REQUEST", "FORBIDDEN", "NOT_FOUND", "SERVICE_UNAVAILABLE", "NOT_IMPLEMENTED"})
  void logNothingThatANodeHasNotDone(RestStatus status) {
    world.blue.refusing(write -> refusal(status, "no"));
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.logged()).isEmpty();
    assertThat(world.green.calls()).isEmpty();
  }

  /** A node answers as it does for an update that changes nothing. */
  @Test
  void leaveDocumentsThatAPipelineDrops() {
    UpdateResponse dropped =
        new UpdateResponse(
            SHARD,
            "1",
            SequenceNumbers.UNASSIGNED_SEQ_NO,
            SequenceNumbers.UNASSIGNED_PRIMARY_TERM,
            Versions.MATCH_ANY,
            DocWriteResponse.Result.NOOP);
    BulkItemResponse item = new BulkItemResponse(0, DocWriteRequest.OpType.INDEX, dropped);
    assertThat(toReplicate(item, new RequestedWrites.Execution(true, slot -> false, slot -> false)))
        .isEmpty();
  }

  /** Returns the writes of a bulk that the other cluster or the log has to get. */
  private static List<PendingWrite> toReplicate(
      BulkItemResponse item, RequestedWrites.Execution execution) {
    RequestedWrites requested =
        Objects.requireNonNull(RequestedWrites.of(new BulkRequest().add(index("1", "a"))));
    return requested.onResponse(
        new BulkResponse(new BulkItemResponse[] {item}, 1),
        execution,
        new TargetIndexNames(name -> name, () -> Metadata.EMPTY_METADATA));
  }

  /** A full write queue rejects a write that was sent several times. */
  @ParameterizedTest
  @MethodSource("refusalsOfRepetitions")
  void logNothingAfterRejectionsAlone(Exception refusal) {
    BulkItemResponse item =
        new BulkItemResponse(
            0, DocWriteRequest.OpType.INDEX, new BulkItemResponse.Failure("logs", "1", refusal));
    assertThat(toReplicate(item, new RequestedWrites.Execution(false, slot -> true, slot -> false)))
        .isEmpty();
    assertThat(toReplicate(item, new RequestedWrites.Execution(false, slot -> true, slot -> true)))
        .as("after a lost attempt")
        .hasSize(1);
  }
}
