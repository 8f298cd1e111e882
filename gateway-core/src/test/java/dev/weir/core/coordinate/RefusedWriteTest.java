package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.NodeBytes;
import dev.weir.admission.queue.NodeLanes;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.WritePart.Verdict;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeFailure;
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

/** Pieces that a node refuses because it has too much to do, and that wait for room for bytes. */
class RefusedWriteTest {
  private static final BulkPolicy.Retry THRICE =
      new BulkPolicy.Retry(3, Duration.ofMillis(100), Duration.ofMillis(300));
  private static final Exception FULL = new OpenSearchRejectedExecutionException("full");

  private final TestWorld world = new TestWorld();
  private final NodeLanes lanes = Lanes.any();
  private final WriteFlow flow =
      new WriteFlow(
          lanes,
          THRICE,
          new SplittableRandom(3),
          late -> new IllegalStateException(late.message()));
  private final Deque<WriteStep> steps = new ArrayDeque<>();
  private final ScriptedWork work = new ScriptedWork((view, certainty) -> steps.remove());
  private final ScriptedWork.Part a = work.part("a");
  private final ScriptedWork.Part b = work.part("b");

  private void start(ScriptedWork.Part... parts) {
    a.bytes = 10;
    steps.addAll(List.of(ScriptedWork.send(parts), ScriptedWork.send()));
    new WriteCoordinator(world.environment.with(flow), world.context, work).start();
  }

  private void refuse(Verdict verdict) {
    a.verdict = verdict;
    world.sender.last().fail(NodeFailure.Kind.REMOTE, FULL);
  }

  private NodeBytes bytes() {
    return lanes.bytes("n1");
  }

  /** As after an answer, which cancels nothing: what a piece holds then it holds for ever. */
  @AfterEach
  void nothingIsLeft() {
    world.context.end();
    assertThat(bytes().underWay()).isZero();
    assertThat(bytes().waiting()).isZero();
  }

  @Test
  void isSentAgainAfterAPauseAndAsItWas() {
    start(a);
    refuse(Verdict.REFUSED);
    assertThat(world.sender.sent).hasSize(1);
    world.pass();
    assertThat(world.sender.sent).hasSize(2);
    world.sender.last().reply("done");
    assertThat(work.log).containsExactly("plan 1 CACHED", "a done", "plan 1 CACHED", "finished");
    assertThat(flow.sentAgainFor(WriteFlow.Again.REJECTED)).isEqualTo(1);
  }

  @Test
  void isMarkedWhenTheNodeHadLetItIn() {
    start(a);
    refuse(Verdict.REFUSED_WITHIN);
    world.pass();
    world.sender.last().reply("done");
    assertThat(work.log).containsSubsequence("a repeat", "a done", "finished");
  }

  @Test
  void isNotSentAgainWhereNothingOfItMayBe() {
    a.repeatable = false;
    start(a);
    refuse(Verdict.REFUSED_WITHIN);
    assertThat(world.isWaiting()).isFalse();
    assertThat(work.log).endsWith("a repeat", "plan 1 CACHED", "finished");
  }

  @Test
  void pausesGrowAndEndWithTheRefusal() {
    start(a);
    for (int times = 0; times < 3; times++) {
      refuse(Verdict.REFUSED);
      world.pass();
    }
    refuse(Verdict.REFUSED);
    assertThat(world.sender.sent).hasSize(4);
    assertThat(a.failure).isSameAs(FULL);
    assertThat(work.log).endsWith("a failed", "plan 1 CACHED", "finished");
    assertThat(flow.givenUp()).isEqualTo(1);
    assertThat(world.pauses).hasSize(3);
    List<Integer> most = List.of(100, 200, 300);
    for (int pause = 0; pause < 3; pause++) {
      long millis = world.pauses.get(pause).toMillis();
      assertThat(millis).isBetween(most.get(pause) / 2L, (long) most.get(pause));
    }
  }

  @Test
  void isNotToldToComeAgainWhenALostAttemptMayHaveDoneIt() {
    start(a);
    world.sender.last().fail(NodeFailure.Kind.CONNECTION_LOST);
    for (int times = 0; times < 3; times++) {
      refuse(Verdict.REFUSED);
      world.pass();
    }
    refuse(Verdict.REFUSED);
    assertThat(work.log).contains("a LOST").doesNotContain("a failed");
  }

  @Test
  void whatWasNotSentForWantOfRoomIsSentLater() {
    start(a);
    world.sender.last().fail(NodeFailure.Kind.NOT_SENT, FULL);
    world.pass();
    world.sender.last().reply("done");
    assertThat(work.log).contains("a done").doesNotContain("a repeat");
    assertThat(flow.sentAgainFor(WriteFlow.Again.NOT_SENT)).isEqualTo(1);
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
    flow.use(BulkPolicy.Retry.NEVER);
    a.refusedInAnswer = FULL;
    start(a);
    world.sender.last().reply("done in part");
    assertThat(work.log).endsWith("a done in part", "plan 1 CACHED", "finished");
  }

  @Test
  void isToldTheRefusalWhenTheDeadlinePassesInAPause() {
    world.context.limit(Deadline.after(0, Duration.ofSeconds(1), "a test"));
    start(a);
    refuse(Verdict.REFUSED);
    world.context.expire("late");
    assertThat(work.log).endsWith("a failed", "expired");
    assertThat(a.failure).isSameAs(FULL);
    world.passAll();
    assertThat(world.sender.sent).hasSize(1);
  }

  @Test
  void doesNotPausePastTheDeadline() {
    world.context.limit(Deadline.after(0, Duration.ofMillis(40), "a test"));
    start(a);
    refuse(Verdict.REFUSED);
    assertThat(a.failure).isSameAs(FULL);
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void waitsUntilItsNodeHasRoomForItsBytes() {
    NodeBytes.Lease others = bytes().take(bytes().limit(), lease -> {});
    start(a, b);
    assertThat(world.sender.actions()).containsExactly("n1 b");
    others.answered();
    assertThat(world.sender.actions()).containsExactly("n1 b", "n1 a");
    assertThat(bytes().underWay()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(bytes().underWay()).isZero();
    world.passAll();
    assertThat(work.log).doesNotContain("a failed");
  }

  @Test
  void goesWhereThePrimaryIsByThen() {
    NodeBytes.Lease others = bytes().take(bytes().limit(), lease -> {});
    a.target = view -> new WriteTarget.Node(view.state().version() < 2 ? "n1" : "n2");
    start(a);
    world.views.comes(2);
    world.views.refresh(world.views.current());
    others.answered();
    assertThat(world.sender.nodes()).containsExactly("n2");
    assertThat(bytes().underWay()).isZero();
    assertThat(lanes.bytes("n2").underWay()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(lanes.bytes("n2").underWay()).isZero();
  }

  @Test
  void isRefusedWhenThereIsNoRoomInItsTime() {
    NodeBytes.Lease others = bytes().take(bytes().limit(), lease -> {});
    start(a);
    world.passAll();
    assertThat(world.pauses).containsExactly(a.patience());
    assertThat(a.failure).hasMessageContaining("n1").hasMessageContaining("bulk.max-node-bytes");
    assertThat(world.sender.sent).isEmpty();
    others.close();
  }

  @Test
  void holdsNothingInAPause() {
    start(a);
    refuse(Verdict.REFUSED);
    assertThat(bytes().underWay()).isZero();
    world.pass();
    assertThat(bytes().underWay()).isEqualTo(10);
    world.sender.last().reply("done");
    assertThat(bytes().underWay()).isZero();
  }

  @Test
  void onlyARefusalOnArrivalTellsHowManyBytesItsNodeTakes() {
    long limit = bytes().limit();
    a.limitSaid = limit / 2;
    start(a);
    refuse(Verdict.REFUSED_WITHIN);
    assertThat(bytes().limit()).as("its queue, or another node, or one shard").isEqualTo(limit);
    world.pass();
    refuse(Verdict.REFUSED);
    assertThat(bytes().limit()).isLessThan(limit / 2);
    world.pass();
    world.sender.last().reply("done");
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeFailure.Kind.class,
      names = {"TIMED_OUT", "MALFORMED", "OVER_BUDGET", "REMOTE"})
  void givesItsBytesBackHoweverItEnds(NodeFailure.Kind kind) {
    start(a);
    world.sender.last().fail(kind);
    assertThat(bytes().underWay()).isZero();
    assertThat(work.log).endsWith("finished");
  }

  @Test
  void givesItsPlaceUpWhenItIsCancelledWhileItWaits() {
    NodeBytes.Lease others = bytes().take(bytes().limit(), lease -> {});
    start(a);
    assertThat(bytes().waiting()).isEqualTo(1);
    world.context.cancel("gone");
    assertThat(bytes().waiting()).isZero();
    others.answered();
    assertThat(world.sender.sent).isEmpty();
  }

  /** Several writes on one node, whatever becomes of each: no byte and no place is kept. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void allBytesComeBackWhateverBecomesOfWrites(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<RequestContext> contexts = new ArrayList<>();
    for (int write = 0; write < 60; write++) {
      RequestContext context = new RequestContext(Runnable::run, write, Map.of());
      contexts.add(context);
      Deque<WriteStep> plans = new ArrayDeque<>();
      ScriptedWork scripted =
          new ScriptedWork(
              (view, certainty) -> plans.isEmpty() ? ScriptedWork.send() : plans.remove());
      scripted.onOver = context::end;
      ScriptedWork.Part[] parts = {scripted.part("x"), scripted.part("y")};
      plans.add(ScriptedWork.send(parts));
      for (ScriptedWork.Part part : parts) {
        part.bytes = 1 + random.nextLong(bytes().limit());
        part.verdict = Verdict.values()[random.nextInt(Verdict.values().length)];
        part.repeatable = random.nextBoolean();
      }
      new WriteCoordinator(world.environment.with(flow), context, scripted).start();
      for (int events = random.nextInt(4); events > 0; events--) {
        happen(random, contexts);
      }
    }
    for (int rounds = 0; rounds < 5_000 && !world.sender.sent.isEmpty(); rounds++) {
      happen(random, contexts);
    }
    contexts.forEach(context -> context.cancel("the end")); // those that wait; others have ended
    assertThat(bytes().underWay()).isZero();
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
      NodeFailure.Kind[] kinds = NodeFailure.Kind.values();
      if (what < 12) {
        one.reply("done");
      } else {
        one.fail(kinds[random.nextInt(kinds.length)], FULL);
      }
    }
  }
}
