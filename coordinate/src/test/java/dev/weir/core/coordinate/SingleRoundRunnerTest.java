package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.flow.CallPacer;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SingleRoundRunnerTest implements NodeSender {
  private final ScriptedSender nodes = new ScriptedSender();
  private final List<String> log = new ArrayList<>();
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());

  /** Calls of equal size to two nodes in turns. */
  private final class Round implements NodeRound<String> {
    private final @Nullable NodeCallType work;
    private final int calls;
    private final long bytes;

    /** The calls that can't be built. */
    private final Set<Integer> broken = new HashSet<>();

    /** A call to each node. */
    Round(@Nullable NodeCallType work) {
      this(work, 2, 0);
    }

    Round(@Nullable NodeCallType work, int calls, long bytes) {
      this.work = work;
      this.calls = calls;
      this.bytes = bytes;
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
      return calls;
    }

    @Override
    public String nodeId(int call) {
      return "n" + call % 2;
    }

    @Override
    public long payloadBytes(int call) {
      return bytes;
    }

    @Override
    public NodeCall<String> createCall(int call) {
      if (broken.contains(call)) {
        throw new IllegalStateException("no such node");
      }
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

  /** As many as fit, and then one for each outcome, also of a request that nobody waits for. */
  @Test
  void boundTheBytesInFlight() {
    Round round = new Round(null, 20, CallPacer.MAX_BYTES / 8);
    round.broken.addAll(Set.of(3, 19));
    SingleRoundRunner.start(this, round, context, () -> log.add("ended"));
    context.cancel("the client left");
    int ended = 0;
    for (; ended < nodes.sent.size(); ended++) {
      assertThat(nodes.sent.size() - ended).isLessThanOrEqualTo(8);
      assertThat(log).doesNotContain("ended");
      if (ended % 5 == 0) {
        nodes.sent.get(ended).fail(NodeCallException.Kind.NOT_SENT);
      } else {
        nodes.sent.get(ended).reply("freed");
      }
    }
    assertThat(ended).isEqualTo(18);
    assertThat(nodes.sent.stream().map(one -> one.call.action())).doesNotHaveDuplicates();
    assertThat(log.stream().filter("failed"::equals)).hasSize(6);
    assertThat(log).endsWith("ended").containsOnlyOnce("ended");
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
