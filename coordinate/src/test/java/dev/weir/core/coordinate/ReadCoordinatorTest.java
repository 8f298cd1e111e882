package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.write.ScriptedWrite;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadCoordinatorTest {
  private final Exception missing = ScriptedWrite.error("missing");
  private final Exception bad = ScriptedWrite.error("bad");

  private final CoordinationFixture world = new CoordinationFixture();
  private final Work work = new Work();

  private static final class Work implements ReadWork<String> {
    final List<String> log = new ArrayList<>();
    Function<ClusterView, ReadPlan> plan = view -> copies("n1", "n2");
    @Nullable Exception told;

    @Override
    public ReadPlan plan(ClusterView view) {
      return plan.apply(view);
    }

    @Override
    public NodeCall<String> call() {
      return new NodeCall<>("get", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
    }

    @Override
    public boolean isCopyMissing(Exception failure) {
      return "missing".equals(failure.getMessage());
    }

    @Override
    public void onReply(String reply, ReplyFrame frame) {
      log.add(reply);
    }

    @Override
    public void onCopiesExhausted(@Nullable Exception last) {
      log.add("exhausted");
      told = last;
    }

    @Override
    public void onFailure(Exception why) {
      log.add("failed");
      told = why;
    }
  }

  private static ReadPlan copies(String... nodes) {
    return new ReadPlan.Copies(
        Stream.of(nodes).map(node -> new ShardCopy(node, "", false, false, Map.of())).toList());
  }

  private void start() {
    new ReadCoordinator<>(world.environment, world.context, work).start();
  }

  @Test
  void asksTheBestCopy() {
    start();
    world.sender.last().reply("found");
    assertThat(world.sender.nodes()).containsExactly("n1");
    assertThat(work.log).containsExactly("found");
  }

  @Test
  void asksTheNextCopyAfterAnyFailure() {
    for (NodeCallException.Kind kind : NodeCallException.Kind.values()) {
      world.sender.sent.clear();
      start();
      world.sender.last().fail(kind);
      world.sender.last().reply("found");
      assertThat(world.sender.nodes()).containsExactly("n1", "n2");
    }
  }

  @Test
  void tellsTheErrorThatSaysMore() {
    start();
    world.sender.last().fail(NodeCallException.Kind.REMOTE, bad);
    world.sender.last().fail(NodeCallException.Kind.REMOTE, missing);
    assertThat(work.log).containsExactly("exhausted");
    assertThat(work.told).isSameAs(bad);
    assertThat(world.views.refreshes).isZero();
  }

  @Test
  void refreshTheViewOnceWithoutACopy() {
    world.views.comes(2);
    work.plan = view -> view.state().version() == 1 ? copies("n1", "n2") : copies("n3");
    start();
    world.sender.last().fail(NodeCallException.Kind.REMOTE, missing);
    world.sender.last().fail(NodeCallException.Kind.REMOTE, missing);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2", "n3");
    world.sender.last().fail(NodeCallException.Kind.REMOTE, missing);
    assertThat(work.log).containsExactly("exhausted");
    assertThat(work.told).isSameAs(missing);
    assertThat(world.views.refreshes).isEqualTo(1);
  }

  @Test
  void refreshTheViewWithoutAReachableNode() {
    start();
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT, bad);
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST, bad);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2", "n1");
  }

  @Test
  void readsALargeReplyFromEachCopyOnce() {
    start();
    world.sender.last().fail(NodeCallException.Kind.OVER_BUDGET, bad);
    world.sender.last().fail(NodeCallException.Kind.OVER_BUDGET, bad);
    assertThat(world.sender.nodes()).containsExactly("n1", "n2");
    assertThat(work.log).containsExactly("exhausted");
    assertThat(world.views.refreshes).isZero();
  }

  @Test
  void endsWithoutABudgetForRetries() {
    world.tail.retries = false;
    start();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST, bad);
    assertThat(world.sender.nodes()).containsExactly("n1");
    assertThat(work.log).containsExactly("exhausted");
    assertThat(work.told).isSameAs(bad);
  }

  @Test
  void hasNoReasonWhenThereIsNoCopy() {
    work.plan = view -> copies();
    start();
    assertThat(work.log).containsExactly("exhausted");
    assertThat(work.told).isNull();
  }

  @Test
  void confirmsThatItIsImpossible() {
    world.views.comes(2);
    work.plan =
        view -> view.state().version() == 1 ? new ReadPlan.Unavailable(missing) : copies("n1");
    start();
    assertThat(world.sender.nodes()).containsExactly("n1");
  }

  @Test
  void failsWhenItStaysImpossible() {
    work.plan = view -> new ReadPlan.Unavailable(missing);
    start();
    assertThat(work.log).containsExactly("failed");
    assertThat(work.told).isSameAs(missing);
  }

  @Test
  void failsAtOnceWhenItIsRefused() {
    work.plan = view -> new ReadPlan.Rejected(bad);
    start();
    assertThat(work.log).containsExactly("failed");
    assertThat(world.views.refreshes).isZero();
  }

  @Test
  void asksTheNextCopyTooWhenTheFirstIsLate() {
    world.tail.hedges = true;
    start();
    world.pass();
    assertThat(world.sender.nodes()).containsExactly("n1", "n2");
    world.sender.last().reply("second");
    world.sender.sent.getFirst().reply("late");
    assertThat(work.log).containsExactly("second");
    assertThat(world.tail.log).contains("n2 HEDGE", "hedge WON");
  }

  @Test
  void leavesNoTimerBehindWhenItHasItsAnswer() {
    world.tail.hedges = true;
    start();
    assertThat(world.isWaiting()).isTrue();
    world.sender.last().reply("first");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void leavesNoTimerOfAFailedAttemptBehind() {
    world.tail.hedges = true;
    work.plan = view -> free("n1", "n2", "n3");
    start();
    world.sender.last().fail(NodeCallException.Kind.REMOTE, bad);
    world.sender.last().reply("second");
    assertThat(work.log).containsExactly("second");
    assertThat(world.isWaiting()).isFalse();
  }

  @Test
  void failsOnlyWhenBothFailed() {
    world.tail.hedges = true;
    start();
    world.pass();
    world.sender.last().fail(NodeCallException.Kind.REMOTE, bad);
    assertThat(work.log).isEmpty();
    world.sender.sent.getFirst().fail(NodeCallException.Kind.REMOTE, bad);
    assertThat(work.log).containsExactly("exhausted");
  }

  private static ReadPlan free(String... nodes) {
    List<ShardCopy> copies =
        Stream.of(nodes).map(node -> new ShardCopy(node, "", false, false, Map.of())).toList();
    return new ReadPlan.Copies(copies, copies, ShardRoutingRecorder.NONE);
  }

  @Test
  void asksTheCopyThatIsBestWhenItIsSent() {
    work.plan = view -> free("n1", "n2", "n3");
    world.selector.preferredNode = "n3";
    start();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.sender.last().reply("found");
    assertThat(world.sender.nodes()).containsExactly("n3", "n1");
    assertThat(work.log).containsExactly("found");
  }
}
