package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.DualWriteFixture.PendingRequest;
import dev.weir.model.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateResponse;

/** How long a write waits for the other cluster, and when it does not try. */
class DualWriteTimeoutTest extends DualWriteTestCase {
  @Test
  void doNotWaitForTheOtherClustersRefresh() {
    IndexRequest write = index("1", "a").setRefreshPolicy(WriteRequest.RefreshPolicy.WAIT_UNTIL);
    world.answered(IndexAction.INSTANCE, write);
    BulkRequest sent = (BulkRequest) world.green.calls().getFirst().request();
    assertThat(sent.getRefreshPolicy()).isEqualTo(WriteRequest.RefreshPolicy.NONE);
  }

  @Test
  void goesOnTryingAClusterThatHadNotItsTime() {
    world.green.silent(true);
    for (int i = 0; i < TargetCircuitBreaker.MAX_FAILURES + 1; i++) {
      PendingRequest<IndexResponse> asked =
          world.ask(
              IndexAction.INSTANCE,
              index("1", "a"),
              Deadline.after(world.nowNanos(), Duration.ofMillis(100), "a test"));
      world.pass(Duration.ofMillis(100));
      world.until(asked::isAnswered);
    }
    assertThat(world.green.calls()).hasSize(TargetCircuitBreaker.MAX_FAILURES + 1);
    assertThat(outcome(DualWriteOutcome.UNREACHABLE)).isZero();
  }

  @Test
  void doesNotHoldAgainstTheOtherClusterThatTheFirstOneIsSlow() {
    world.blue.run(task -> {
      if (!world.blue.calls().getLast().action().equals(MultiGetAction.NAME)) {
        task.run(); // the result of the update is never read back
      }
    });
    for (int i = 0; i < TargetCircuitBreaker.MAX_FAILURES; i++) {
      PendingRequest<UpdateResponse> asked = world.ask(UpdateAction.INSTANCE, update("1", "a" + i));
      world.pass(DualWriteFixture.TIMEOUT);
      world.until(asked::isAnswered);
    }
    world.answered(IndexAction.INSTANCE, index("2", "a"));
    assertThat(outcome(DualWriteOutcome.UNREACHABLE)).isZero();
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isOne();
  }

  @Test
  void stopReadingBackFromAFirstClusterThatWasLeft() {
    world.blue.run(task -> {
      if (!world.blue.calls().getLast().action().equals(MultiGetAction.NAME)) {
        task.run(); // the result of the update is never read back
      }
    });
    PendingRequest<UpdateResponse> asked = world.ask(UpdateAction.INSTANCE, update("1", "a"));
    assertThat(world.blueRequests.release(world.blueRequests.lastNumber())).isZero();
    world.blueRequests.setLeftPolicies(Set.of(""));
    assertThat(world.blueRequests.hasLeftRequests()).isTrue();
    world.blueRequests.setUnresponsive(true);
    assertThat(world.blueRequests.release(world.blueRequests.lastNumber())).isOne();
    world.until(asked::isAnswered);
    assertThat(asked.response).as("what the first cluster acknowledged").isNotNull();
    assertThat(world.loggedDocuments()).containsExactly("update 1 1 released_request_exception");
    assertThat(world.blueRequests.hasLeftRequests()).isFalse();
    int calls = world.blue.calls().size();
    world.answered(UpdateAction.INSTANCE, update("2", "b"));
    assertThat(world.blue.calls()).as("the update alone").hasSize(calls + 1);
  }

  /** A session reads in batches, and here each of thousands fails before its call returns. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failManyReadsOnALittleStack(boolean unresponsive) throws InterruptedException {
    world.closeRepairLog();
    world.blueRequests.setUnresponsive(unresponsive);
    world.blue.throwing(new IllegalStateException("no reads"));
    RepairEntry.Document document = new RepairEntry.Document("logs", "logs", "1", null);
    List<PendingWrite> writes =
        Stream.generate(() -> new PendingWrite(document, RepairEntry.Op.UPDATE, 1, false))
            .limit(100_000)
            .toList();
    DualWriteSession session =
        new DualWriteSession(
            new DualWriteServices(world.blue, world.counts, world.means(), world.blueRequests),
            world.target(),
            world.context(),
            WriteRequest.RefreshPolicy.NONE);
    List<Boolean> ends = new ArrayList<>();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread = new Thread(null, () -> session.start(writes, ends::add), "stack", 256 << 10);
    thread.setUncaughtExceptionHandler((where, failure) -> thrown.set(failure));
    thread.start();
    thread.join();
    assertThat(thrown).hasNullValue();
    world.until(() -> !ends.isEmpty());
    world.settle();
    assertThat(ends).hasSize(1);
    assertThat(outcome(DualWriteOutcome.FAILED)).isEqualTo(writes.size());
  }

  @Test
  void stopRepeatingOnAClusterThatWasLeft() {
    world.green.silent(true);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    world.settle();
    assertThat(asked.isAnswered()).isFalse();
    world.greenRequests.setLeftPolicies(Set.of(""));
    assertThat(world.greenRequests.release(world.greenRequests.lastNumber())).isOne();
    world.until(asked::isAnswered);
    assertThat(asked.response).as("what the first cluster acknowledged").isNotNull();
    assertThat(world.loggedDocuments()).containsExactly("index 1 1 released_request_exception");
    assertThat(world.greenRequests.hasLeftRequests()).isFalse();
  }

  @Test
  void writeNothingForUnauthenticatedClients() {
    world.barred(DualWriteTarget.Unavailable.SECURED);
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.response).isNotNull();
    assertThat(world.green.calls()).isEmpty();
    assertThat(world.loggedDocuments()).containsExactly("index 1 1 secured");
  }
}
