package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SingleRoundRunnerTest implements NodeSender {
  private final ScriptedSender nodes = new ScriptedSender();
  private final List<String> log = new ArrayList<>();
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());

  /** A call to each of two nodes. */
  private final class Round implements NodeRound<String> {
    private final @Nullable NodeCallType work;

    Round(@Nullable NodeCallType work) {
      this.work = work;
    }

    @Override
    public String name() {
      return "free";
    }

    @Override
    public @Nullable NodeCallType callType(int call) {
      return work;
    }

    @Override
    public int callCount() {
      return 2;
    }

    @Override
    public String nodeId(int call) {
      return "n" + call;
    }

    @Override
    public NodeCall<String> createCall(int call) {
      return ScriptedSearch.call("free " + call);
    }

    @Override
    public void onReply(int call, String reply, ReplyFrame frame, Runnable consumed) {
      log.add(reply);
      consumed.run();
    }

    @Override
    public boolean onFailure(int call, Exception failure) {
      log.add("failed");
      return true;
    }
  }

  /** Such as freeing a context: its response time is not that of a fetch. */
  @Test
  void countNoCallThatSaysNothingAboutTheLoad() {
    SingleRoundRunner.start(this, new Round(null), context, () -> log.add("ended"));
    assertThat(log).containsExactly("uncounted n0", "uncounted n1");
    log.clear();
    nodes.sent("free 0").reply("freed");
    nodes.sent("free 1").fail(NodeCallException.Kind.NOT_SENT);
    assertThat(log).containsExactly("freed", "failed", "ended");
  }

  @Test
  void countCallsThatCauseWork() {
    SingleRoundRunner.start(this, new Round(NodeCallType.FETCH), context, () -> log.add("ended"));
    assertThat(log).containsExactly("FETCH n0", "FETCH n1");
  }

  @Override
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext request,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    log.add(work + " " + nodeId);
    return nodes.send(nodeId, work, call, request, loadFeedback, handler);
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext request, ReplyHandler<R> handler) {
    log.add("uncounted " + nodeId);
    return nodes.sendUntracked(nodeId, call, request, handler);
  }
}
