package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.slot.TenantAccounting;
import dev.weir.model.CompletedRequest;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestTrace;
import dev.weir.protocol.IgnoredReply;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The spans of calls that say nothing about their node's load. */
class UntrackedCallTraceTest implements NodeClients, NodeClient, ReplyHandler<String> {
  private final List<String> log = new ArrayList<>();
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final TrackedSender sender =
      new TrackedSender(
          this,
          (nodeId, phase, costClass) -> {
            throw new AssertionError("got a counted call (expected: none)");
          },
          NodeLanesFixture.any(),
          TenantAccounting.NONE,
          new NodeLoadReports(NodeCapabilities.NONE, () -> 0),
          NodeCapabilities.NONE);
  private @Nullable ReplyHandler<Object> transport;

  private final class RecordedTrace implements RequestTrace {
    @Override
    public boolean isRecording() {
      return true;
    }

    @Override
    public String traceId() {
      return "";
    }

    @Override
    public String traceParent() {
      return "";
    }

    @Override
    public RequestTrace newSubTrace() {
      return this;
    }

    @Override
    public void startPhase(String name, boolean always) {}

    @Override
    public CallSpan startCall(String action, @Nullable NodeCallType work, NodeEndpoint node) {
      log.add("span " + action + " " + work + " " + node.id());
      return new CallSpan() {
        @Override
        public void onResponse() {
          log.add("responded");
        }

        @Override
        public void onFailure(String kind, String why) {
          log.add("failed " + kind);
        }

        @Override
        public void onAbandoned() {
          log.add("abandoned");
        }
      };
    }

    @Override
    public PassThroughSpan startPassThrough(String method) {
      return PassThroughSpan.NONE;
    }

    @Override
    public void end(CompletedRequest completed) {}
  }

  @BeforeEach
  void startTrace() {
    context.resources().setTrace(new RecordedTrace());
  }

  private PendingCall send(ReplyHandler<String> handler) {
    return sender.sendUntracked("n1", ScriptedSearch.call("clear"), context, handler);
  }

  private ReplyHandler<Object> transport() {
    return Objects.requireNonNull(transport);
  }

  @Test
  void recordTheResponse() {
    send(this);
    assertThat(log).containsExactly("span clear null n1");
    transport().onReply("ok", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("span clear null n1", "responded", "ok");
  }

  @Test
  void recordTheFailure() {
    send(this);
    Exception late = new IllegalStateException("late");
    transport().onFailure(new NodeCallException(NodeCallException.Kind.TIMED_OUT, "n1", late));
    assertThat(log).containsExactly("span clear null n1", "failed timed-out", "TIMED_OUT");
  }

  @Test
  void recordThatNobodyWaitsAnyMore() {
    send(this);
    context.cancel("client gone");
    assertThat(log).containsExactly("span clear null n1", "abandoned");
  }

  @Test
  void recordNothingWithoutATrace() {
    context.resources().setTrace(RequestTrace.NONE);
    send(this);
    transport().onReply("ok", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("ok");
  }

  @Test
  void recordNoCallWhoseReplyIsIgnored() {
    send(IgnoredReply.deferrable());
    assertThat(log).isEmpty();
  }

  /** The bans of a cancelled request may outlive it. */
  @Test
  void recordNoRemovalOfABan() {
    TaskBanRemover bans = new TaskBanRemover((delay, eventLoop, action) -> {});
    bans.remove(sender, "n1", ScriptedSearch.bannable(""), context);
    transport().onReply("ok", new ScriptedSender.EmptyFrame());
    assertThat(bans.completedRemovals()).isOne();
    assertThat(log).isEmpty();
  }

  @Override
  public NodeClient byId(String nodeId) {
    return this;
  }

  @Override
  public Collection<? extends NodeClient> all() {
    return List.of(this);
  }

  @Override
  public NodeEndpoint endpoint() {
    return new NodeEndpoint(
        "n1",
        "e1",
        "n1",
        InetSocketAddress.createUnresolved("10.0.0.1", 9300),
        null,
        Set.of(),
        Map.of(),
        "3.8.0");
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    transport = (ReplyHandler<Object>) handler;
    return () -> true;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public void onReply(String reply, ReplyFrame frame) {
    log.add(reply);
  }

  @Override
  public void onFailure(NodeCallException failure) {
    log.add(failure.kind().name());
  }
}
