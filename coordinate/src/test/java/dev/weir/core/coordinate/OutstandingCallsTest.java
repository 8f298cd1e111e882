package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutstandingCallsTest {
  private final List<String> log = new ArrayList<>();
  private final List<Runnable> tasks = new ArrayList<>();
  private final RequestContext request = new RequestContext(tasks::add, this::scope, 1, Map.of());
  private @Nullable RequestContext sentUnder;

  private void scope(Runnable task) {
    log.add("in");
    task.run();
    log.add("out");
  }

  /** Records the context in which calls are sent. */
  private final NodeSender sender =
      new NodeSender() {
        @Override
        public <R> PendingCall send(
            String nodeId,
            NodeCallType work,
            NodeCall<R> call,
            RequestContext context,
            @Nullable LoadFeedback<R> loadFeedback,
            ReplyHandler<R> handler) {
          sentUnder = context;
          return () -> true;
        }

        @Override
        public <R> PendingCall sendUntracked(
            String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
          return send(nodeId, NodeCallType.HITS, call, context, null, handler);
        }
      };

  private final OutstandingCalls calls = new OutstandingCalls(sender, request);

  private static final class IgnoringListener implements OutstandingCalls.CallListener<String> {
    @Override
    public void onReply(String reply, ReplyFrame frame) {}

    @Override
    public void onFailure(Exception failure) {}
  }

  private RequestContext sent() {
    calls.send(
        "n1",
        NodeCallType.HITS,
        new NodeCall<>("query", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO),
        null,
        new IgnoringListener());
    RequestContext own = sentUnder;
    if (own == null) {
      throw new AssertionError("got nothing sent");
    }
    return own;
  }

  @Test
  void receiveRepliesWithinTheRequestsScope() {
    sent().run(() -> log.add("reply"));
    assertThat(log).containsExactly("in", "reply", "out");
  }

  @Test
  void runLaterTasksOnTheEventLoopWithinTheRequestsScope() {
    calls.executor().execute(() -> log.add("task"));
    assertThat(log).isEmpty();
    tasks.removeFirst().run();
    assertThat(log).containsExactly("in", "task", "out");
  }

  @Test
  void keepCallsWhenTheRequestIsCancelled() {
    RequestContext own = sent();
    request.cancel("client gone");
    assertThat(own.cancelReason()).isNull();
    assertThat(calls.pendingNodeIds()).containsExactly("n1");
  }

  private static void send(OutstandingCalls calls, String action) {
    NodeCall<String> call =
        new NodeCall<>(action, out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
    calls.send("n1", NodeCallType.HITS, call, null, new IgnoringListener());
  }

  @Test
  void callsOfOneTaskOfTheEventLoopTravelTogether() {
    ScriptedSender nodes = new ScriptedSender();
    OutstandingCalls through = new OutstandingCalls(nodes, request);
    through.sendTogetherSoon();
    send(through, "a");
    through.sendTogetherSoon();
    through.sendTogether(() -> send(through, "b"));
    assertThat(nodes.batches).isEmpty();
    tasks.removeFirst().run();
    assertThat(tasks).isEmpty();
    assertThat(nodes.batches).containsExactly(List.of("n1 a", "n1 b"));
    through.sendTogether(() -> send(through, "c"));
    assertThat(nodes.batches).hasSize(2).endsWith(List.of("n1 c"));
  }
}
