package dev.weir.core.coordinate.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.CoordinationFixture;
import dev.weir.core.coordinate.NodeLanesFixture;
import dev.weir.core.coordinate.ScriptedSender;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.core.coordinate.write.WriteOperation.FailureClass;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/** Writes that an overloaded node rejects, and writes that wait for their node's byte limit. */
class WriteRejectionTest {
  private static final BulkPolicy.Retry THRICE =
      new BulkPolicy.Retry(3, Duration.ofMillis(100), Duration.ofMillis(300));
  private static final Exception FULL = new OpenSearchRejectedExecutionException("full");

  private final CoordinationFixture world = new CoordinationFixture();
  private final NodeConcurrencyLimiters lanes = NodeLanesFixture.any();
  private final WriteFlowController flow =
      new WriteFlowController(
          lanes,
          THRICE,
          new SplittableRandom(3),
          (_, late) -> new IllegalStateException(late.message()));
  private final Deque<WriteStep> steps = new ArrayDeque<>();
  private final ScriptedWrite work = new ScriptedWrite((view, certainty) -> steps.remove());
  private final ScriptedWrite.Part a = work.part("a");
  private final ScriptedWrite.Part b = work.part("b");

  private void start(ScriptedWrite.Part... parts) {
    a.bytes = 10;
    steps.addAll(List.of(ScriptedWrite.send(parts), ScriptedWrite.send()));
    new WriteCoordinator(world.environment.withWriteFlow(flow), world.context, work).start();
  }

  private void refuse(FailureClass verdict) {
    a.verdict = verdict;
    world.sender.last().fail(NodeCallException.Kind.REMOTE, FULL);
  }

  private NodeWriteBytesLimiter bytes() {
    return lanes.writeBytesLimiter("n1");
  }

  /**
   * Ends the request without a cancellation, as after a response: everything that a write holds
   * then is leaked.
   */
  @AfterEach
  void nothingIsLeft() {
    world.context.end();
    assertThat(bytes().inFlightBytes()).isZero();
    assertThat(bytes().waiting()).isZero();
  }

  @Test
  void retryUnchangedAfterAPause() {
    start(a);
    refuse(FailureClass.REJECTED);
    assertThat(world.sender.sent).hasSize(1);
    world.pass();
    assertThat(world.sender.sent).hasSize(2);
    world.sender.last().reply("done");
    assertThat(work.log).containsExactly("plan 1 CACHED", "a done", "plan 1 CACHED", "finished");
    assertThat(flow.retriesFor(WriteFlowController.RetryReason.REJECTED)).isEqualTo(1);
  }

  @Test
  void markARetryAfterTheNodeAdmittedTheWrite() {
    start(a);
    refuse(FailureClass.REJECTED_DURING_EXECUTION);
    world.pass();
    world.sender.last().reply("done");
    assertThat(work.log).containsSubsequence("a repeat", "a done", "finished");
  }

  @Test
  void doNotRetryWhenRetriesAreForbidden() {
    a.repeatable = false;
    start(a);
    refuse(FailureClass.REJECTED_DURING_EXECUTION);
    assertThat(world.isWaiting()).isFalse();
    assertThat(work.log).endsWith("a repeat", "plan 1 CACHED", "finished");
  }

  @Test
  void pausesGrowAndEndWithTheRefusal() {
    start(a);
    for (int times = 0; times < 3; times++) {
      refuse(FailureClass.REJECTED);
      world.pass();
    }
    refuse(FailureClass.REJECTED);
    assertThat(world.sender.sent).hasSize(4);
    assertThat(a.failure).isSameAs(FULL);
    assertThat(work.log).endsWith("a failed", "plan 1 CACHED", "finished");
    assertThat(flow.rejections()).isEqualTo(1);
    assertThat(world.pauses).hasSize(3);
    List<Integer> most = List.of(100, 200, 300);
    for (int pause = 0; pause < 3; pause++) {
      long millis = world.pauses.get(pause).toMillis();
      assertThat(millis).isBetween(most.get(pause) / 2L, (long) most.get(pause));
    }
  }

  @Test
  void doNotAdviseRetryAfterAnUncertainAttempt() {
    start(a);
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    for (int times = 0; times < 3; times++) {
      refuse(FailureClass.REJECTED);
      world.pass();
    }
    refuse(FailureClass.REJECTED);
    assertThat(work.log).contains("a ATTEMPT_LOST").doesNotContain("a failed");
  }

  @Test
  void sendLaterWhatHadNoCapacity() {
    start(a);
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT, FULL);
    world.pass();
    world.sender.last().reply("done");
    assertThat(work.log).contains("a done").doesNotContain("a repeat");
    assertThat(flow.retriesFor(WriteFlowController.RetryReason.NOT_SENT)).isEqualTo(1);
  }

  @Test
  void refusedItemsAreSentAgainAndTheOthersAreNot() {
    a.refusedInAnswer = FULL;
    start(a, b);
    world.sender.sent.get(1).reply("done");
    world.sender.sent.get(0).reply("done in part");
    assertThat(work.log).doesNotContain("finished");
    world.pass();
    world.sender.last().reply("done wholly");
    assertThat(work.log)
        .containsSubsequence("b done", "a done in part", "a done wholly", "finished");
    assertThat(world.sender.sent).hasSize(3);
  }

  @Test
  void refusedItemsKeepTheirAnswerInTheEnd() {
    flow.updatePolicy(BulkPolicy.Retry.NEVER);
    a.refusedInAnswer = FULL;
    start(a);
    world.sender.last().reply("done in part");
    assertThat(work.log).endsWith("a done in part", "plan 1 CACHED", "finished");
  }

  @Test
  void reportTheRejectionWhenTheDeadlinePassesInAPause() {
    world.context.limitDeadline(Deadline.after(0, Duration.ofSeconds(1), "a test"));
    start(a);
    refuse(FailureClass.REJECTED);
    world.context.expire("late");
    assertThat(work.log).endsWith("a failed", "expired");
    assertThat(a.failure).isSameAs(FULL);
    world.passAll();
    assertThat(world.sender.sent).hasSize(1);
  }

  @Test
  void doesNotPausePastTheDeadline() {
    world.context.limitDeadline(Deadline.after(0, Duration.ofMillis(40), "a test"));
    start(a);
    refuse(FailureClass.REJECTED);
    assertThat(a.failure).isSameAs(FULL);
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void waitUntilTheNodeHasCapacityForTheBytes() {
    NodeWriteBytesLimiter.Lease others = bytes().acquire(bytes().limitBytes(), lease -> {});
    start(a, b);
    assertThat(world.sender.actions()).containsExactly("n1 b");
    others.onResponse();
    assertThat(world.sender.actions()).containsExactly("n1 b", "n1 a");
    assertThat(bytes().inFlightBytes()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(bytes().inFlightBytes()).isZero();
    world.passAll();
    assertThat(work.log).doesNotContain("a failed");
  }

  @Test
  void goesWhereThePrimaryIsByThen() {
    NodeWriteBytesLimiter.Lease others = bytes().acquire(bytes().limitBytes(), lease -> {});
    a.target = view -> new WriteTarget.Node(view.state().version() < 2 ? "n1" : "n2");
    start(a);
    world.views.comes(2);
    world.views.refresh(world.views.current());
    others.onResponse();
    assertThat(world.sender.nodes()).containsExactly("n2");
    assertThat(bytes().inFlightBytes()).isZero();
    assertThat(lanes.writeBytesLimiter("n2").inFlightBytes()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(lanes.writeBytesLimiter("n2").inFlightBytes()).isZero();
  }

  @Test
  void rejectWhenCapacityComesTooLate() {
    NodeWriteBytesLimiter.Lease others = bytes().acquire(bytes().limitBytes(), lease -> {});
    start(a);
    world.passAll();
    assertThat(world.pauses).containsExactly(a.waitTimeout());
    assertThat(a.failure)
        .hasMessageContaining("n1")
        .hasMessageContaining("bulk.max-in-flight-bytes-per-node");
    assertThat(world.sender.sent).isEmpty();
    assertThat(flow.rejections()).isEqualTo(1);
    others.cancel();
  }

  @Test
  void holdsNothingInAPause() {
    start(a);
    refuse(FailureClass.REJECTED);
    assertThat(bytes().inFlightBytes()).isZero();
    world.pass();
    assertThat(bytes().inFlightBytes()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(bytes().inFlightBytes()).isZero();
  }

  @Test
  void learnTheByteLimitOnlyFromRejectionsOnArrival() {
    long limit = bytes().limitBytes();
    a.limitSaid = limit / 2;
    start(a);
    refuse(FailureClass.REJECTED_DURING_EXECUTION);
    assertThat(bytes().limitBytes())
        .as("its queue, or another node, or one shard")
        .isEqualTo(limit);
    world.pass();
    refuse(FailureClass.REJECTED);
    assertThat(bytes().limitBytes()).isLessThan(limit / 2);
    world.pass();
    world.sender.last().reply("done");
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeCallException.Kind.class,
      names = {"TIMED_OUT", "MALFORMED", "OVER_BUDGET", "REMOTE"})
  void givesItsBytesBackHoweverItEnds(NodeCallException.Kind kind) {
    start(a);
    world.sender.last().fail(kind);
    assertThat(bytes().inFlightBytes()).isZero();
    assertThat(work.log).endsWith("finished");
  }

  @Test
  void givesItsPlaceUpWhenItIsCancelledWhileItWaits() {
    NodeWriteBytesLimiter.Lease others = bytes().acquire(bytes().limitBytes(), lease -> {});
    start(a);
    assertThat(bytes().waiting()).isEqualTo(1);
    world.context.cancel("gone");
    assertThat(bytes().waiting()).isZero();
    others.onResponse();
    assertThat(world.sender.sent).isEmpty();
  }

  /** Several writes on one node with random outcomes: all bytes and places are released. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void releaseAllBytesForAnyOutcome(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<RequestContext> contexts = new ArrayList<>();
    for (int write = 0; write < 60; write++) {
      RequestContext context = new RequestContext(Runnable::run, write, Map.of());
      contexts.add(context);
      Deque<WriteStep> plans = new ArrayDeque<>();
      ScriptedWrite scripted =
          new ScriptedWrite(
              (view, certainty) -> plans.isEmpty() ? ScriptedWrite.send() : plans.remove());
      scripted.onOver = context::end;
      ScriptedWrite.Part[] parts = {scripted.part("x"), scripted.part("y")};
      plans.add(ScriptedWrite.send(parts));
      for (ScriptedWrite.Part part : parts) {
        part.bytes = 1 + random.nextLong(bytes().limitBytes());
        part.verdict = FailureClass.values()[random.nextInt(FailureClass.values().length)];
        part.repeatable = random.nextBoolean();
      }
      new WriteCoordinator(world.environment.withWriteFlow(flow), context, scripted).start();
      for (int events = random.nextInt(4); events > 0; events--) {
        happen(random, contexts);
      }
    }
    for (int rounds = 0; rounds < 5_000 && !world.sender.sent.isEmpty(); rounds++) {
      happen(random, contexts);
    }
    contexts.forEach(context -> context.cancel("the end")); // those that wait; others have ended
    assertThat(bytes().inFlightBytes()).isZero();
    assertThat(bytes().waiting()).isZero();
  }

  private void happen(SplittableRandom random, List<RequestContext> contexts) {
    int what = random.nextInt(20);
    if (what == 0) {
      contexts.get(random.nextInt(contexts.size())).cancel("gone");
    } else if (what < 5 && world.isWaiting()) {
      world.pass();
    } else if (!world.sender.sent.isEmpty()) {
      ScriptedSender.Sent one = world.sender.sent.remove(random.nextInt(world.sender.sent.size()));
      NodeCallException.Kind[] kinds = NodeCallException.Kind.values();
      if (what < 12) {
        one.reply("done");
      } else {
        one.fail(kinds[random.nextInt(kinds.length)], FULL);
      }
    }
  }
}
