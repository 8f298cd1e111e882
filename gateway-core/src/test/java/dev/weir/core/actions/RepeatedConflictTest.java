package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.protocol.NodeCallException;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.engine.VersionConflictEngineException;

/** Conflicts that a node reports; the attempt before may have caused them if it was lost. */
class RepeatedConflictTest {
  private static final Exception CONFLICT =
      new VersionConflictEngineException(new ShardId("logs", "u1", 0), "mine", "document exists");

  private final DocumentActionsFixture world =
      new DocumentActionsFixture(
          DocumentActionsFixture.view(1, DocumentActionsFixture.index("logs", "u1", 1)));

  private BulkItemResponse conflict(boolean afterLostAttempt) {
    IndexRequest document = new IndexRequest("logs").id("mine").create(true).source("a", 1);
    world.bulk(new BulkRequest().add(document));
    if (afterLostAttempt) {
      world.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("x"));
    }
    world.sent.getLast().createdBut(CONFLICT, Set.of(0));
    return Objects.requireNonNull(world.response).getItems()[0];
  }

  @Test
  void outcomeIsUnknownWhereAnotherClusterHasToLearnOfIt() {
    world.context.resources().setDocumentsReplicated();
    BulkItemResponse item = conflict(true);
    assertThat(item.status()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
    assertThat(item.getFailureMessage()).contains("document exists");
  }

  @Test
  void clientGetsTheConflictWhereNobodyElseHasTo() {
    assertThat(conflict(true).status()).isEqualTo(RestStatus.CONFLICT);
  }

  @Test
  void conflictOfTheFirstAttemptIsOne() {
    world.context.resources().setDocumentsReplicated();
    assertThat(conflict(false).status()).isEqualTo(RestStatus.CONFLICT);
  }

  private boolean isRepeated(int item) {
    return world.context.resources().isPossiblyRepeated(item);
  }

  @Test
  void markOnlyTheItemsThatAreSentAgain() {
    world.flow.updatePolicy(BulkPolicy.Retry.DEFAULT);
    world.context.resources().setDocumentsReplicated();
    IndexRequest one = new IndexRequest("logs").id("1").source("a", 1);
    IndexRequest other = new IndexRequest("logs").id("2").source("a", 1);
    world.bulk(new BulkRequest().add(one).add(other));
    world.sent.getFirst().createdBut(new OpenSearchRejectedExecutionException("full"), Set.of(1));
    world.later.removeFirst().run();
    world.sent.getLast().created();
    assertThat(world.sent).hasSize(2);
    assertThat(isRepeated(0)).isFalse();
    assertThat(isRepeated(1)).isTrue();
  }

  @Test
  void markAnUpdateThatIsSentAgain() {
    world.context.resources().setDocumentsReplicated();
    world.update(new UpdateRequest("logs", "mine").doc("a", 1));
    assertThat(isRepeated(0)).isFalse();
    world.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST, new OpenSearchException("x"));
    assertThat(world.sent).hasSize(2);
    assertThat(isRepeated(0)).isTrue();
    assertThat(world.context.resources().isPossiblyExecuted(0)).isTrue();
  }

  @Test
  void markNoUpdateAsExecutedThatItsNodeRejects() {
    world.context.resources().setDocumentsReplicated();
    world.update(new UpdateRequest("logs", "mine").doc("a", 1));
    Exception full = new OpenSearchRejectedExecutionException("queue capacity 10000");
    world.sent.get(0).fail(NodeCallException.Kind.REMOTE, full);
    assertThat(ExceptionsHelper.status(Objects.requireNonNull(world.failure)))
        .isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(isRepeated(0)).isTrue();
    assertThat(world.context.resources().isPossiblyExecuted(0)).isFalse();
  }
}
