package dev.weir.core.coordinate.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.CoordinationFixture;
import dev.weir.core.coordinate.write.WriteOperation.FailureClass;
import dev.weir.core.coordinate.write.WriteWork.ViewFreshness;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

class WriteCoordinatorTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final Deque<WriteStep> steps = new ArrayDeque<>();
  private final ScriptedWrite work = new ScriptedWrite((view, certainty) -> steps.remove());
  private final ScriptedWrite.Part a = work.part("a");
  private final ScriptedWrite.Part b = work.part("b");

  private void start(WriteStep... given) {
    steps.addAll(List.of(given));
    new WriteCoordinator(world.environment, world.context, work).start();
  }

  private void startOne() {
    start(ScriptedWrite.send(a), ScriptedWrite.send());
  }

  @Test
  void hasAllShardsInFlightAndFinishesWithTheLast() {
    start(ScriptedWrite.send(a, b), ScriptedWrite.send());
    assertThat(world.sender.sent).hasSize(2);
    world.sender.sent.get(1).reply("done");
    assertThat(work.log).doesNotContain("finished");
    world.sender.sent.get(0).reply("done");
    assertThat(work.log)
        .containsExactly("plan 1 CACHED", "b done", "a done", "plan 1 CACHED", "finished");
  }

  @Test
  void sendsTheFirstAttemptsTogetherAndRetriesAlone() {
    start(ScriptedWrite.send(a, b), ScriptedWrite.send());
    assertThat(world.sender.batches).containsExactly(List.of("n1 a", "n1 b"));
    world.sender.sent.get(0).fail(NodeCallException.Kind.CONNECTION_LOST);
    world.sender.sent.get(1).reply("done");
    assertThat(world.sender.actions()).containsExactly("n1 a", "n1 b", "n1 a");
    world.sender.last().reply("done");
    assertThat(work.log).endsWith("finished");
    assertThat(world.sender.batches).hasSize(1);
  }

  @Test
  void sendsASingleOperationWithoutABatch() {
    startOne();
    assertThat(world.sender.batches).isEmpty();
  }

  @Test
  void finishesAtOnceWhenNothingIsLeft() {
    start(ScriptedWrite.send());
    assertThat(work.log).containsExactly("plan 1 CACHED", "finished");
  }

  @Test
  void prepareOnceBeforeTheFirstOperationIsSent() {
    Deque<Runnable> prepared = new ArrayDeque<>();
    world.context.resources().setWritePreparation((send, reject) -> prepared.add(send));
    start(ScriptedWrite.send(a), ScriptedWrite.send(b), ScriptedWrite.send());
    assertThat(world.sender.sent).isEmpty();
    prepared.remove().run();
    world.sender.last().reply("done");
    assertThat(prepared).as("planned again").isEmpty();
    world.sender.last().reply("done");
    assertThat(work.log).contains("a done", "b done", "finished");
  }

  @Test
  void sendNothingThatThePreparationRejectsOrThatIsCancelledMeanwhile() {
    world
        .context
        .resources()
        .setWritePreparation((send, reject) -> {
          reject.accept(new IllegalStateException("full"));
          send.run();
        });
    startOne();
    assertThat(work.failure).hasMessage("full");
    assertThat(world.sender.sent).isEmpty();
  }

  @Test
  void neverPassThroughAPartlySentWrite() {
    start(ScriptedWrite.send(a), new WriteStep.Fail(new PassThroughException("ingest-pipeline")));
    world.sender.last().reply("done");

    assertThat(work.failure)
        .isInstanceOf(IllegalStateException.class)
        .hasNoCause()
        .hasMessageContaining("ingest-pipeline");
  }

  @Test
  void retryAnUnsentWriteUnmarked() {
    startOne();
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    assertThat(world.sender.sent).hasSize(2);
    world.sender.last().reply("done");
    assertThat(work.log).containsExactly("plan 1 CACHED", "a done", "plan 1 CACHED", "finished");
  }

  @Test
  void failAtOnceWithoutCapacityToSend() {
    startOne();
    world
        .sender
        .last()
        .fail(
            NodeCallException.Kind.NOT_SENT,
            new OpenSearchRejectedExecutionException("too many calls pending"));
    assertThat(work.log).contains("a failed", "finished");
    assertThat(world.sender.sent).hasSize(1);
  }

  @Test
  void doNotAdviseRetryAfterAnUncertainAttempt() {
    startOne();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world
        .sender
        .last()
        .fail(
            NodeCallException.Kind.NOT_SENT,
            new OpenSearchRejectedExecutionException("too many calls pending"));
    assertThat(work.log).contains("a ATTEMPT_LOST", "finished").doesNotContain("a failed");
    assertThat(world.sender.sent).hasSize(2);
  }

  @Test
  void doNotAdviseRetryWithoutMemoryForTheResponse() {
    startOne();
    world.sender.last().fail(NodeCallException.Kind.OVER_BUDGET);
    assertThat(work.log)
        .contains("a NO_MEMORY_FOR_RESPONSE", "finished")
        .doesNotContain("a failed");
    assertThat(world.sender.sent).hasSize(1);
  }

  @Test
  void sendsAgainMarkedWhenTheConnectionIsLost() {
    startOne();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    assertThat(work.log).contains("a repeat");
    assertThat(world.sender.sent).hasSize(2);
  }

  @Test
  void doNotRetryNonRepeatableWrites() {
    a.repeatable = false;
    startOne();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    assertThat(world.sender.sent).hasSize(1);
    assertThat(work.log).containsSubsequence("a repeat", "finished");
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeCallException.Kind.class,
      names = {"TIMED_OUT", "MALFORMED"})
  void neverRetryAWriteThatANodeMayStillExecute(NodeCallException.Kind kind) {
    startOne();
    world.sender.last().fail(kind);
    assertThat(world.sender.sent).hasSize(1);
    String doubt =
        kind == NodeCallException.Kind.TIMED_OUT ? "a NO_RESPONSE" : "a UNREADABLE_RESPONSE";
    assertThat(work.log).containsSubsequence(doubt, "finished").doesNotContain("a failed");
  }

  /** After an attempt of unknown outcome no later event may report the write as not executed. */
  @Test
  void neverReportFailureAfterAnUncertainAttempt() {
    startOne();
    a.target = view -> new WriteTarget.RetryLater(ScriptedWrite.error("no primary"));
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.passAll();
    assertThat(a.failure).hasMessage("no primary");
    assertThat(work.log).contains("a ATTEMPT_LOST", "finished").doesNotContain("a failed");
  }

  @Test
  void neverReportForbiddenAfterAnUncertainAttempt() {
    startOne();
    a.target = view -> new WriteTarget.Rejected(ScriptedWrite.error("blocked"));
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.passAll();
    assertThat(work.log).contains("a ATTEMPT_LOST", "finished").doesNotContain("a failed");
  }

  @ParameterizedTest
  @EnumSource(
      value = FailureClass.class,
      names = {"FINAL", "STALE_VIEW"})
  void keepTheLostAttemptUncertainAfterARejectedRetry(FailureClass verdict) {
    a.verdict = verdict;
    startOne();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.sender.last().fail(NodeCallException.Kind.REMOTE, ScriptedWrite.error("no"));
    assertThat(a.failure).hasMessage("no");
    assertThat(work.log)
        .contains(verdict == FailureClass.FINAL ? "a RETRY_FAILED" : "a ATTEMPT_LOST", "finished")
        .doesNotContain("a failed");
  }

  @Test
  void tellsAFinalErrorOfANode() {
    startOne();
    Exception answer = ScriptedWrite.error("mapping");
    world.sender.last().fail(NodeCallException.Kind.REMOTE, answer);
    assertThat(a.failure).isSameAs(answer);
    assertThat(work.log).endsWith("finished");
  }

  @Test
  void sendsAgainMarkedWhenTheNodeGaveUpInTheMiddle() {
    a.verdict = FailureClass.UNCERTAIN;
    startOne();
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(work.log).contains("a repeat");
    assertThat(world.sender.sent).hasSize(2);
  }

  @Test
  void retryLaterWhenTheNodeIsNotReady() {
    a.verdict = FailureClass.NOT_READY;
    startOne();
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(work.log).doesNotContain("a repeat");
    assertThat(world.sender.sent).hasSize(2);
  }

  @Test
  void planAgainWhenANewerViewMovedTheShard() {
    a.verdict = FailureClass.STALE_VIEW;
    world.views.comes(2);
    start(ScriptedWrite.send(a, b), ScriptedWrite.send(a), ScriptedWrite.send());
    world.sender.sent.get(0).fail(NodeCallException.Kind.REMOTE);
    world.sender.sent.get(1).reply("done");
    assertThat(work.log)
        .containsExactly("plan 1 CACHED", "a given back", "b done", "plan 2 CACHED");
    world.sender.last().reply("done");
    assertThat(work.log).endsWith("a done", "plan 2 CACHED", "finished");
  }

  @Test
  void keepTheUncertaintyAcrossANewPlan() {
    a.verdict = FailureClass.STALE_VIEW;
    start(ScriptedWrite.send(a), ScriptedWrite.send(a), ScriptedWrite.send());
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.views.comes(2);
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(work.log).contains("a given back, maybe done");
  }

  @Test
  void tellsTheErrorWhenTheViewWasRight() {
    a.verdict = FailureClass.STALE_VIEW;
    startOne();
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(work.log).contains("a failed");
  }

  @Test
  void stopPlanningAgainAfterAFewTimes() {
    BiFunction<ClusterView, ViewFreshness, WriteStep> plan =
        (view, certainty) ->
            certainty == ViewFreshness.FINAL_ATTEMPT ? ScriptedWrite.send() : ScriptedWrite.send(a);
    ScriptedWrite endless = new ScriptedWrite(plan);
    a.target = view -> new WriteTarget.Missing();
    new WriteCoordinator(world.environment, world.context, endless).start();
    assertThat(endless.log).endsWith("plan 1 FINAL_ATTEMPT", "finished").hasSize(6);
  }

  @Test
  void waitsForAPrimaryAndGivesUpWithItsLastReason() {
    Exception why = ScriptedWrite.error("no primary");
    a.target = view -> new WriteTarget.RetryLater(why);
    startOne();
    world.passAll();
    assertThat(world.sender.sent).isEmpty();
    assertThat(a.failure).isSameAs(why);
    assertThat(world.pauses)
        .startsWith(Duration.ofMillis(20), Duration.ofMillis(40), Duration.ofMillis(80))
        .allMatch(pause -> pause.compareTo(Duration.ofSeconds(1)) <= 0);
    assertThat(world.pauses.stream().mapToLong(Duration::toMillis).sum()).isEqualTo(60_000);
  }

  @Test
  void sendsOnceThePrimaryIsThere() {
    a.target =
        view ->
            view.state().version() < 3
                ? new WriteTarget.RetryLater(ScriptedWrite.error("no primary"))
                : new WriteTarget.Node("n3");
    startOne();
    assertThat(world.isWaiting()).isTrue();
    world.views.comes(2);
    world.pass();
    assertThat(world.sender.sent).isEmpty();
    world.views.comes(3);
    world.pass();
    assertThat(world.sender.nodes()).containsExactly("n3");
  }

  @Test
  void sendWhatOnlyTheOldViewForbade() {
    a.target =
        view ->
            view.state().version() < 2
                ? new WriteTarget.Rejected(ScriptedWrite.error("blocked"))
                : new WriteTarget.Node("n1");
    world.views.comes(2);
    startOne();
    assertThat(world.sender.nodes()).containsExactly("n1");
  }

  @Test
  void failWhenTheFreshViewForbidsTheWriteToo() {
    Exception why = ScriptedWrite.error("blocked");
    a.target = view -> new WriteTarget.Rejected(why);
    startOne();
    assertThat(world.sender.sent).isEmpty();
    assertThat(a.failure).isSameAs(why);
    assertThat(work.log).endsWith("finished");
  }

  @Test
  void triesAnUnreachablePrimaryAgainWithTheSameView() {
    startOne();
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    world.pass();
    assertThat(world.sender.sent).hasSize(3);
  }

  @Test
  void stopsWaitingWhenTheRequestIsCancelled() {
    a.target = view -> new WriteTarget.RetryLater(ScriptedWrite.error("no primary"));
    startOne();
    world.context.cancel("client gone");
    world.passAll();
    assertThat(work.log).containsExactly("plan 1 CACHED");
  }

  private void startWithDeadline(WriteStep... given) {
    world.context.limitDeadline(Deadline.after(0, Duration.ofSeconds(1), "a test"));
    start(given);
  }

  @Test
  void tellsPiecesApartByWhetherTheyMayBeDoneWhenTheDeadlinePasses() {
    ScriptedWrite.Part c = work.part("c");
    b.target = view -> new WriteTarget.RetryLater(ScriptedWrite.error("no primary"));
    startWithDeadline(ScriptedWrite.send(a, b, c));
    world.sender.last().reply("done");
    world.context.expire("late");
    assertThat(work.log)
        .containsExactly("plan 1 CACHED", "c done", "a maybe done", "b not done", "expired");
    world.passAll();
    assertThat(work.log).hasSize(5);
  }

  @Test
  void reportUncertaintyOfAnAttemptBeforeTheRetry() {
    startWithDeadline(ScriptedWrite.send(a));
    a.target = view -> new WriteTarget.RetryLater(ScriptedWrite.error("no primary"));
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.context.expire("late");
    assertThat(work.log).endsWith("a maybe done", "expired");
  }

  @Test
  void reportUnsentWritesAsNotExecuted() {
    startWithDeadline(ScriptedWrite.send(a));
    a.target = view -> new WriteTarget.RetryLater(ScriptedWrite.error("no primary"));
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    world.context.expire("late");
    assertThat(work.log).endsWith("a not done", "expired");
  }

  @Test
  void endsAtTheDeadlineWhileItWaitsForAView() {
    world.views.comes(1);
    startWithDeadline(new WriteStep.RetryLater(ScriptedWrite.error("blocked")));
    world.context.expire("late");
    assertThat(work.log).containsExactly("plan 1 CACHED", "expired");
    world.passAll();
    assertThat(work.log).hasSize(2);
  }

  @Test
  void ignoreADeadlineAfterTheEnd() {
    startWithDeadline(ScriptedWrite.send(a), ScriptedWrite.send());
    world.sender.last().reply("done");
    world.context.expire("late");
    assertThat(work.log).endsWith("finished");
  }

  @Test
  void runPrerequisitesFirst() {
    start(new WriteStep.RunFirst(List.of(a)), ScriptedWrite.send(b), ScriptedWrite.send());
    assertThat(world.sender.sent).hasSize(1);
    world.sender.last().reply("created");
    assertThat(world.sender.sent).hasSize(2);
    world.sender.last().reply("done");
    assertThat(work.log).endsWith("b done", "plan 1 CACHED", "finished");
  }

  @Test
  void refreshTheViewBeforeRejecting() {
    world.views.comes(2);
    start(new WriteStep.ConfirmView(), ScriptedWrite.send());
    assertThat(work.log).containsExactly("plan 1 CACHED", "plan 2 CONFIRMED", "finished");
  }

  @Test
  void givesUpWaitingForTheWholeWrite() {
    AtomicInteger plans = new AtomicInteger();
    Exception why = ScriptedWrite.error("blocked");
    ScriptedWrite blocked =
        new ScriptedWrite((view, certainty) -> {
          plans.incrementAndGet();
          return new WriteStep.RetryLater(why);
        });
    new WriteCoordinator(world.environment, world.context, blocked).start();
    world.passAll();
    assertThat(plans).hasValue(2);
    assertThat(blocked.failure).isSameAs(why);
    assertThat(blocked.log).endsWith("plan 1 FINAL_ATTEMPT", "failed");
  }

  @Test
  void passesTheReasonOnWhenThePlanThrows() {
    ScriptedWrite thrown =
        new ScriptedWrite((view, certainty) -> {
          throw new PassThroughException("ingest-pipeline");
        });
    new WriteCoordinator(world.environment, world.context, thrown).start();
    assertThat(thrown.failure).isInstanceOf(PassThroughException.class);
  }

  @Test
  void failsAsAWhole() {
    Exception why = ScriptedWrite.error("blocked");
    start(new WriteStep.Fail(why));
    assertThat(work.failure).isSameAs(why);
  }
}
