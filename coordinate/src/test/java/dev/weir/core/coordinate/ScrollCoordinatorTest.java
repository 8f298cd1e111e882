package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScrollCoordinatorTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final Work work = new Work();

  private record Round(String name, List<String> nodes) implements NodeRound<String> {
    @Override
    public NodeCallType callType(int call) {
      return NodeCallType.SCROLL;
    }

    @Override
    public int callCount() {
      return nodes.size();
    }

    @Override
    public String nodeId(int call) {
      return nodes.get(call);
    }

    @Override
    public NodeCall<String> createCall(int call) {
      if (nodes.get(call).equals("gone")) {
        throw new IllegalArgumentException("gone");
      }
      return ScriptedSearch.call(name);
    }

    @Override
    public void onReply(int call, String reply, ReplyFrame frame, Runnable consumed) {
      consumed.run();
    }

    @Override
    public boolean onFailure(int call, Exception failure) {
      return true;
    }
  }

  private static final class Work implements ScrollWork {
    final List<String> log = new ArrayList<>();
    List<String> contexts = List.of("n1", "n2");
    List<String> winners = List.of("n2");
    @Nullable RuntimeException broken;

    @Override
    public NodeRound<?> createQueryRound() {
      return new Round("query", contexts);
    }

    @Override
    public NodeRound<?> createFetchRound() {
      if (broken != null) {
        throw broken;
      }
      return new Round("fetch", winners);
    }

    @Override
    public void respond(int successful) {
      log.add("answer " + successful);
    }

    @Override
    public void failAllShards(String phase) {
      log.add("all failed: " + phase);
    }

    @Override
    public void fail(RuntimeException failure) {
      log.add("failed: " + failure.getMessage());
    }

    @Override
    public void onUnrecoverable(Consumer<String> cancel) {}

    @Override
    public Exception cancellationException() {
      return new IllegalStateException("cancelled");
    }

    @Override
    public void cancel(String reason) {
      log.add("cancel: " + reason);
    }

    @Override
    public NodeTaskBan taskBan(String nodeId) {
      return ScriptedSearch.bannable("");
    }
  }

  private void start() {
    ScrollCoordinator.start(world.environment, work, world.context);
  }

  @Test
  void asksEveryContextAndFetchesFromThoseThatWon() {
    start();
    assertThat(world.sender.nodes()).containsExactly("n1", "n2");
    List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
    assertThat(world.sender.nodes()).containsExactly("n1", "n2", "n2");
    world.sender.last().reply("ok");
    assertThat(work.log).containsExactly("answer 2");
  }

  @Test
  void leavesOutContextsThatFail() {
    work.contexts = List.of("gone", "n2");
    start();
    world.sender.last().reply("ok");
    world.sender.last().reply("ok");
    assertThat(work.log).containsExactly("answer 1");
  }

  @Test
  void failsWhenNoContextAnswers() {
    start();
    List.copyOf(world.sender.sent).forEach(one -> one.fail(NodeCallException.Kind.REMOTE));
    assertThat(work.log).containsExactly("all failed: query");
  }

  @Test
  void failsWhenNothingCanBeFetched() {
    work.contexts = List.of("n2");
    start();
    world.sender.last().reply("ok");
    world.sender.last().fail(NodeCallException.Kind.REMOTE);
    assertThat(work.log).containsExactly("all failed: fetch");
  }

  @Test
  void answersAnEmptyPage() {
    work.winners = List.of();
    start();
    List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
    assertThat(work.log).containsExactly("answer 2");
  }

  @Test
  void failWhenTheReductionFails() {
    work.broken = new IllegalStateException("odd");
    start();
    List.copyOf(world.sender.sent).forEach(one -> one.reply("ok"));
    assertThat(work.log).containsExactly("failed: odd");
  }

  @Test
  void fetchesNothingOnceCancelled() {
    start();
    world.context.cancel("gone");
    assertThat(world.sender.actions(" ban")).containsExactlyInAnyOrder("n1 ban", "n2 ban");
    world.sender.sent.get(0).reply("ok");
    world.sender.sent.get(1).reply("ok");
    assertThat(world.sender.actions("unban")).containsExactly("n1 unban", "n2 unban");
    assertThat(world.sender.sent).hasSize(6);
    assertThat(work.log).containsExactly("cancel: gone", "answer 1");
  }
}
