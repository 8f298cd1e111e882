package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.core.coordinate.write.WriteOperation.FailureClass;
import dev.weir.protocol.NodeCallException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.DocWriteResponse.Result;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexingPressure;
import org.opensearch.script.Script;
import org.opensearch.transport.RemoteTransportException;

/** Bulks that overloaded nodes reject. */
class BulkRejectionTest {
  private static final String BULK = TransportShardBulkAction.ACTION_NAME;

  private final DocumentActionsFixture world =
      new DocumentActionsFixture(
          DocumentActionsFixture.view(1, DocumentActionsFixture.index("logs", "u1", 1)));

  private static IndexRequest document() {
    return new IndexRequest("logs").source("a", 1);
  }

  private static Exception wrapped(String action, Exception cause) {
    TransportAddress address = new TransportAddress(InetAddress.getLoopbackAddress(), 9300);
    return new RemoteTransportException("n1", address, action, cause);
  }

  /** Creates a node's own rejection. */
  private static Exception pressure() {
    IndexingPressure full =
        new IndexingPressure(
            Settings.builder().put("indexing_pressure.memory.limit", "1kb").build());
    try {
      full.markPrimaryOperationStarted(2000, false);
    } catch (OpenSearchRejectedExecutionException refusal) {
      return refusal;
    }
    throw new AssertionError("got room for 2000 bytes (expected: a refusal)");
  }

  private static Exception onArrival() {
    return wrapped(BULK, pressure());
  }

  private static Exception within() {
    return wrapped(
        BULK,
        wrapped(BULK + "[p]", new OpenSearchRejectedExecutionException("queue capacity 10000")));
  }

  private void bulk(BulkRequest bulk) {
    world.flow.updatePolicy(BulkPolicy.Retry.DEFAULT);
    world.bulk(bulk);
  }

  private void resume() {
    world.later.removeFirst().run();
  }

  private BulkItemResponse[] items() {
    return Objects.requireNonNull(world.response).getItems();
  }

  private IndexRequest sent(int slot) {
    return (IndexRequest) world.sent.getLast().shard().items()[slot].request();
  }

  @Test
  void retryUnchangedAfterARejectionOnArrival() {
    bulk(new BulkRequest().add(document().create(true)).add(document().id("own")));
    world.sent.getFirst().fail(NodeCallException.Kind.REMOTE, onArrival());
    assertThat(world.response).isNull();
    resume();
    assertThat(sent(0).isRetry()).isFalse();
    assertThat(sent(0).opType()).isEqualTo(OpType.CREATE);
    world.sent.getLast().created();
    assertThat(items()).noneMatch(BulkItemResponse::isFailed);
    assertThat(world.flow.retriesFor(WriteFlowController.RetryReason.REJECTED)).isEqualTo(1);
  }

  @Test
  void markARetryAfterALaterRejectionAndReportTheOriginalOperation() {
    bulk(new BulkRequest().add(document().create(true)).add(document().id("own").create(true)));
    String id = sent(0).id();
    world.sent.getFirst().fail(NodeCallException.Kind.REMOTE, within());
    resume();
    assertThat(sent(0).isRetry()).isTrue();
    assertThat(sent(0).id()).isEqualTo(id);
    assertThat(sent(0).opType()).isEqualTo(OpType.INDEX);
    assertThat(sent(1).opType()).isEqualTo(OpType.CREATE);
    world.sent.getLast().created();
    assertThat(items()[0].getOpType()).isEqualTo(OpType.CREATE);
    assertThat(items()[0].getResponse().getResult()).isEqualTo(Result.CREATED);
  }

  @Test
  void retryAScriptOnlyIfItCannotHaveRun() {
    UpdateRequest scripted = new UpdateRequest("logs", "1").script(new Script("ctx._source.n++"));
    bulk(new BulkRequest().add(scripted).add(document()));
    world.sent.getFirst().fail(NodeCallException.Kind.REMOTE, onArrival());
    resume();
    assertThat(world.sent.getLast().shard().items()).hasSize(2);
    world.sent.getLast().fail(NodeCallException.Kind.REMOTE, within());
    resume();
    assertThat(world.sent.getLast().shard().items()).hasSize(1);
    world.sent.getLast().created();
    assertThat(items()[0].getFailure().getStatus()).isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(items()[1].isFailed()).isFalse();
  }

  @Test
  void retryOnlyRejectedItems() {
    bulk(new BulkRequest().add(document()).add(document().create(true)).add(document()));
    Exception full = new OpenSearchRejectedExecutionException("full");
    world.sent.getFirst().createdBut(full, Set.of(1, 2));
    assertThat(world.response).isNull();
    resume();
    assertThat(world.sent.getLast().shard().items())
        .extracting(BulkItemRequest::id)
        .containsExactly(1, 2);
    assertThat(sent(0).isRetry()).isTrue();
    world.sent.getLast().createdBut(full, Set.of(2));
    resume();
    world.sent.getLast().created();
    assertThat(items()).noneMatch(BulkItemResponse::isFailed);
    assertThat(items()).extracting(BulkItemResponse::getItemId).containsExactly(0, 1, 2);
    assertThat(items()[1].getOpType()).isEqualTo(OpType.CREATE);
  }

  @Test
  void refusedItemsHaveTheNodesAnswerWhenTheyMayNotBeSentAgain() {
    world.bulk(new BulkRequest().add(document()).add(document().create(true)));
    world.sent.getFirst().createdBut(new OpenSearchRejectedExecutionException("full"), Set.of(1));
    assertThat(items()[1].getOpType()).isEqualTo(OpType.CREATE);
    assertThat(items()[1].getFailureMessage()).contains("full");
    assertThat(world.sent).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8})
  void rejectionsAloneExecuteNothing(int maxRetries) {
    world.flow.updatePolicy(
        new BulkPolicy.Retry(maxRetries, Duration.ofMillis(50), Duration.ofSeconds(5)));
    world.context.resources().setDocumentsReplicated();
    world.bulk(new BulkRequest().add(document().id("own")));
    for (int retry = 0; retry < maxRetries; retry++) {
      world.sent.getLast().fail(NodeCallException.Kind.REMOTE, within());
      resume();
    }
    world.sent.getLast().fail(NodeCallException.Kind.REMOTE, within());
    assertThat(world.sent).hasSize(1 + maxRetries);
    assertThat(items()[0].status()).isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(world.context.resources().isPossiblyRepeated(0)).isTrue();
    assertThat(world.context.resources().isPossiblyExecuted(0)).isFalse();
  }

  @Test
  void aRejectionByANodeThatAnotherOneForwardedToLeavesTheDoubt() {
    world.context.resources().setDocumentsReplicated();
    world.bulk(new BulkRequest().add(document().id("own")));
    world.sent.getLast().fail(NodeCallException.Kind.REMOTE, wrapped(BULK, within()));
    assertThat(world.context.resources().isPossiblyExecuted(0)).isTrue();
  }

  @Test
  void aRejectionAfterALostAttemptLeavesTheDoubt() {
    world.context.resources().setDocumentsReplicated();
    world.bulk(new BulkRequest().add(document().id("own")).add(document().id("other")));
    OpenSearchException lost = new OpenSearchException("x");
    world.sent.getFirst().fail(NodeCallException.Kind.CONNECTION_LOST, lost);
    world.sent.getLast().createdBut(new OpenSearchRejectedExecutionException("full"), Set.of(0));
    assertThat(items()[0].status()).isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(items()[1].isFailed()).isFalse();
    assertThat(world.context.resources().isPossiblyExecuted(0)).isTrue();
  }

  private static @Nullable FailureClass verdict(Exception answer) {
    return WriteFailureClassifier.classifyRejection(answer, BULK);
  }

  @Test
  void tellsRefusalsApart() {
    assertThat(verdict(onArrival())).isEqualTo(FailureClass.REJECTED);
    assertThat(verdict(within())).isEqualTo(FailureClass.REJECTED_DURING_EXECUTION);
    assertThat(verdict(wrapped(BULK, new OpenSearchRejectedExecutionException("bye", true))))
        .as("a pool that shuts down also refuses what comes after a write")
        .isEqualTo(FailureClass.UNCERTAIN);
    assertThat(verdict(wrapped(BULK, new IllegalStateException("no")))).isNull();
    String arriving = "[parent] Data too large, data for [" + BULK + "] would be";
    assertThat(verdict(breaking(arriving, CircuitBreaker.Durability.TRANSIENT)))
        .isEqualTo(FailureClass.REJECTED);
    assertThat(verdict(breaking(arriving, CircuitBreaker.Durability.PERMANENT))).isNull();
    assertThat(verdict(breaking("[fielddata] Data too large", CircuitBreaker.Durability.TRANSIENT)))
        .isNull();
  }

  private static Exception breaking(String message, CircuitBreaker.Durability durability) {
    return wrapped(BULK, new CircuitBreakingException(message, durability));
  }

  @Test
  void readsFromARefusalHowMuchTheNodeTakes() {
    assertThat(WriteFailureClassifier.reportedByteLimit(onArrival())).isEqualTo(1024);
    assertThat(WriteFailureClassifier.reportedByteLimit(within())).isZero();
  }
}
