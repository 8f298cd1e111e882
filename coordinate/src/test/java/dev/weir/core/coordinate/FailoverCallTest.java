package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;

/** A read that one node carries out as a whole. */
class FailoverCallTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final List<String> replies = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();

  private static NodeCall<String> call(String action) {
    return new NodeCall<>(action, _ -> {}, _ -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
  }

  private final FailoverCall.Work<String> work =
      new FailoverCall.Work<>() {
        @Override
        public NodeCall<String> createCall(String nodeId) {
          return call("search");
        }

        @Override
        public boolean shouldTryNext(NodeCallException failure) {
          return failure.kind() == Kind.NOT_SENT;
        }

        @Override
        public void onReply(String reply, ReplyFrame frame) {
          replies.add(reply);
        }

        @Override
        public void onFailure(Exception failure) {
          failures.add(failure);
        }

        @Override
        public void onUnrecoverable(Consumer<String> cancel) {}

        @Override
        public Exception cancellationException() {
          return new OpenSearchException("cancelled");
        }

        @Override
        public void cancel(String reason) {}

        @Override
        public NodeTaskBan taskBan(String nodeId) {
          return new NodeTaskBan() {
            @Override
            public NodeCall<?> createBanCall(String reason) {
              return call("ban " + reason);
            }

            @Override
            public NodeCall<?> createUnbanCall() {
              return call("unban");
            }
          };
        }
      };

  private void start(String... nodeIds) {
    FailoverCall.start(world.environment, List.of(nodeIds), work, world.context);
  }

  @Test
  void tryTheNextNodeWhileTheWorkAsksForIt() {
    start("a", "b", "c");
    world.sender.last().fail(Kind.NOT_SENT);
    world.sender.last().reply("done");
    assertThat(world.sender.nodes()).containsExactly("a", "b");
    assertThat(replies).containsExactly("done");
    assertThat(failures).isEmpty();
  }

  @Test
  void failWithTheLastNodesFailure() {
    start("a", "b");
    world.sender.last().fail(Kind.NOT_SENT);
    world.sender.last().fail(Kind.NOT_SENT);
    assertThat(world.sender.nodes()).containsExactly("a", "b");
    assertThat(failures).singleElement().isInstanceOf(NodeCallException.class);
  }

  @Test
  void keepAFailureThatNoOtherNodeCouldMend() {
    start("a", "b");
    world.sender.last().fail(Kind.REMOTE);
    assertThat(world.sender.nodes()).containsExactly("a");
    assertThat(failures).hasSize(1);
  }

  @Test
  void cancelTheTaskOnTheNodeWithTheRequest() {
    start("a", "b");
    ScriptedSender.Sent search = world.sender.last();
    world.context.cancel("the client left");
    assertThat(world.sender.actions()).containsExactly("a search", "a ban the client left");
    search.fail(Kind.NOT_SENT);
    assertThat(world.sender.actions())
        .as("no other node is asked, and the ban is removed")
        .containsExactly("a search", "a ban the client left", "a unban");
    assertThat(failures).singleElement().extracting(Exception::getMessage).isEqualTo("cancelled");
  }

  @Test
  void cancelNothingAfterTheReply() {
    start("a");
    world.sender.last().reply("done");
    world.context.cancel("the client left");
    assertThat(world.sender.actions()).containsExactly("a search");
  }
}
