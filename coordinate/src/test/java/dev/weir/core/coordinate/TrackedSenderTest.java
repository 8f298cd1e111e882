package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.slot.TenantAccounting;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.IgnoredReply;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeLoadReport;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.NodeLoadRecorder;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.RemoteTransportException;

class TrackedSenderTest implements NodeLoadRecorder, NodeClients, NodeClient, ReplyHandler<String> {
  private final List<String> log = new ArrayList<>();
  private boolean reportsLoad;
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final NodeConcurrencyLimiters lanes = NodeLanesFixture.any();
  private final List<String> costs = new ArrayList<>();
  private final TrackedSender sender =
      new TrackedSender(
          this,
          this,
          lanes,
          new TenantAccounting() {
            @Override
            public String tenantOf(RequestContext request) {
              return "acme";
            }

            @Override
            public void recordCallCost(NodeCallType work, String tenant, long startNanos) {
              assertThat(held()).as("no longer counted").isZero();
              assertThat(lanes.limiter("n1", NodeThreadPool.GET).inFlight()).isEqualTo(1);
              costs.add(tenant + " " + work);
            }
          },
          new NodeLoadReports((node, capability) -> reportsLoad, () -> 0),
          NodeCapabilities.NONE);
  private @Nullable ReplyHandler<Object> transport;
  private TrialReason trial = TrialReason.NONE;
  private boolean written;

  /** A frame with a load report. */
  private static final class ReportingFrame implements ReplyFrame {
    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public NodeLoadReport loadReport() {
      return new NodeLoadReport(1, 7, 42, -1, -1, -1, -1);
    }

    @Override
    public int wireBytes() {
      return 0;
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
  }

  private PendingCall send(String node, NodeSender.@Nullable LoadFeedback<String> loadFeedback) {
    NodeCall<String> call =
        new NodeCall<>("get", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
    return sender.send(node, Phase.GET, call, context, loadFeedback, this);
  }

  private int held() {
    return lanes.limiter("n1", NodeThreadPool.GET).heldSlots().countOf("acme");
  }

  private void assertNothingHeld() {
    assertThat(held()).isZero();
    assertThat(lanes.limiter("n1", NodeThreadPool.GET).inFlight()).isZero();
  }

  private ReplyHandler<Object> transport() {
    return Objects.requireNonNull(transport);
  }

  @Test
  void recordAReplyWithItsLoadReport() {
    send(
        "n1",
        new NodeSender.LoadFeedback<>() {
          @Override
          public int queueSize(String reply) {
            return 3;
          }

          @Override
          public long serviceTimeNanos(String reply) {
            return 4;
          }
        });
    transport().onReply("hello", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("begin n1", "replied 3 4", "hello");
    assertThat(context.response().headers()).containsExactly(entry("Warning", Set.of("299 odd")));
  }

  @Test
  void recordTheLoadThatANodeReportsInAHeader() {
    reportsLoad = true;
    send("n1", null);
    assertThat(transport().wantsLoadReport()).isTrue();
    transport().onReply("hello", new ReportingFrame());
    assertThat(log).containsExactly("begin n1", "replied 7 42", "hello");
    assertThat(context.response().headers()).isEmpty();
  }

  @Test
  void askNoNodeForItsLoadThatHasNotTheCapability() {
    send("n1", null);
    assertThat(transport().wantsLoadReport()).isFalse();
    transport().onReply("hello", new ReportingFrame());
    assertThat(log).containsExactly("begin n1", "replied -1 -1", "hello");
  }

  /** A cancellation callback is kept while the request has any outstanding call. */
  @Test
  void releaseTheWaiterOfAnEndedCall() throws InterruptedException {
    WeakReference<byte[]> answered = new WeakReference<>(sendFor(new byte[1]));
    transport().onReply("hello", new ScriptedSender.EmptyFrame());
    WeakReference<byte[]> failed = new WeakReference<>(sendFor(new byte[1]));
    transport().onFailure(NodeCallException.unknownNode("n1"));
    transport = null;
    for (int i = 0; i < 100 && (answered.get() != null || failed.get() != null); i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(answered.get()).isNull();
    assertThat(failed.get()).isNull();
  }

  /** Sends a call whose handler and load feedback refer to the bytes. */
  private byte[] sendFor(byte[] bytes) {
    NodeCall<String> call =
        new NodeCall<>("get", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
    NodeSender.LoadFeedback<String> loadFeedback =
        new NodeSender.LoadFeedback<>() {
          @Override
          public int queueSize(String reply) {
            return bytes.length;
          }

          @Override
          public long serviceTimeNanos(String reply) {
            return bytes.length;
          }
        };
    ReplyHandler<String> waiting =
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            log.add(reply + bytes.length);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            log.add("failed" + bytes.length);
          }
        };
    sender.send("n1", Phase.GET, call, context, loadFeedback, waiting);
    return bytes;
  }

  @Test
  void countsAReplyWithoutLoadFeedback() {
    send("n1", null);
    transport().onReply("hello", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("begin n1", "replied -1 -1", "hello");
  }

  @ParameterizedTest
  @CsvSource({
    "REMOTE, 404, answered",
    "REMOTE, 429, failed REJECTED",
    "REMOTE, 500, failed ERROR",
    "REMOTE, 503, answered",
    "NOT_SENT, 500, failed UNREACHABLE",
    "NOT_SENT, 429, failed REJECTED",
    "CONNECTION_LOST, 500, failed UNREACHABLE",
    "TIMED_OUT, 500, failed TIMEOUT",
    "MALFORMED, 500, failed ERROR",
    "OVER_BUDGET, 429, answered"
  })
  void attributeAFailureToNodeOrRequest(NodeCallException.Kind kind, int status, String counted) {
    send("n1", null);
    Exception cause = new OpenSearchStatusException("odd", RestStatus.fromCode(status));
    transport().onFailure(new NodeCallException(kind, "n1", cause));
    assertThat(log).containsExactly("begin n1", counted, kind.name());
  }

  /** A bound that the calls to all nodes share says nothing about one of them. */
  @Test
  void doNotBlameANodeForACallThatTheGatewayRefuses() {
    double limit = lanes.limiter("n1", NodeThreadPool.GET).limit();
    Exception full = new OpenSearchStatusException("full", RestStatus.TOO_MANY_REQUESTS);
    send("n1", null);
    transport().onFailure(NodeCallException.beyondSharedBound("n1", full));
    assertThat(log).containsExactly("begin n1", "abandoned", "NOT_SENT");
    assertNothingHeld();
    assertThat(costs).isEmpty();
    assertThat(lanes.limiter("n1", NodeThreadPool.GET).limit()).isEqualTo(limit);
    send("n1", null);
    transport().onFailure(new NodeCallException(NodeCallException.Kind.NOT_SENT, "n1", full));
    assertThat(lanes.limiter("n1", NodeThreadPool.GET).limit()).isLessThan(limit);
  }

  /** A search over its own ceiling says nothing about the node, except that it worked on it. */
  @Test
  void doNotBlameANodeForASearchOverItsCeiling() {
    send("n1", null);
    CircuitBreakingException cause =
        new CircuitBreakingException("too much", 2, 1, CircuitBreaker.Durability.PERMANENT);
    cause.addMetadata("opensearch.request_ceiling", "bytes");
    transport().onFailure(new NodeCallException(NodeCallException.Kind.REMOTE, "n1", cause));
    assertThat(log).containsExactly("begin n1", "answered", "REMOTE");
    assertThat(costs).hasSize(1);
  }

  @Test
  void countACallForItsTenantUntilTheReply() {
    send("n1", null);
    assertThat(held()).isEqualTo(1);
    transport().onReply("hello", new ScriptedSender.EmptyFrame());
    transport().onReply("again", new ScriptedSender.EmptyFrame());
    assertNothingHeld();
    assertThat(costs).containsExactly("acme GET");
  }

  /** What a node did not work on says nothing about the cost of a tenant's calls. */
  @ParameterizedTest
  @CsvSource({
    "REMOTE, 404, 1",
    "REMOTE, 429, 0",
    "REMOTE, 500, 1",
    "NOT_SENT, 500, 0",
    "NOT_SENT, 429, 0",
    "CONNECTION_LOST, 500, 0",
    "TIMED_OUT, 500, 0",
    "MALFORMED, 500, 1",
    "OVER_BUDGET, 429, 1"
  })
  void countACallForItsTenantUntilItFails(NodeCallException.Kind kind, int status, int recorded) {
    send("n1", null);
    Exception cause = new OpenSearchStatusException("odd", RestStatus.fromCode(status));
    transport().onFailure(new NodeCallException(kind, "n1", cause));
    assertNothingHeld();
    assertThat(costs).hasSize(recorded);
  }

  @Test
  void countACallForItsTenantUntilItIsAbandoned() {
    PendingCall call = send("n1", null);
    call.abandon();
    assertNothingHeld();
    transport().onReply("late", new ScriptedSender.EmptyFrame());
    assertNothingHeld();
    assertThat(costs).containsExactly("acme GET");
  }

  @Test
  void countAProbeForItsTenantUntilTheReply() {
    trial = TrialReason.EJECTION_PROBE;
    written = true;
    send("n1", null).abandon();
    assertThat(held()).as("the node still works on it").isEqualTo(1);
    transport().onReply("late", new ScriptedSender.EmptyFrame());
    assertNothingHeld();
    assertThat(costs).containsExactly("acme GET");
  }

  @Test
  void doNotBlameANodeForACancelledTask() {
    send("n1", null);
    Exception cancelled = new TaskCancelledException("cancelled task with reason: client gone");
    Exception cause = new RemoteTransportException("n1", cancelled);
    transport().onFailure(new NodeCallException(NodeCallException.Kind.REMOTE, "n1", cause));
    assertThat(log).containsExactly("begin n1", "answered", "REMOTE");
  }

  @Test
  void forgetsTheCallWhenTheRequestIsCancelled() {
    send("n1", null);
    context.cancel("client gone");
    transport().onReply("late", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("begin n1", "forgotten", "abandoned");
  }

  @Test
  void forgetsOnce() {
    PendingCall call = send("n1", null);
    assertThat(call.abandon()).isTrue();
    assertThat(call.abandon()).isFalse();
    assertThat(log).containsExactly("begin n1", "forgotten", "abandoned");
  }

  @Test
  void awaitSentCallsToAnEjectedNode() {
    trial = TrialReason.EJECTION_PROBE;
    written = true;
    send("n1", null);
    context.cancel("client gone");
    transport().onReply("late", new ScriptedSender.EmptyFrame());
    assertThat(log).containsExactly("begin n1", "replied -1 -1");
  }

  /** Another request may reuse the bytes by the time a connection is open. */
  @Test
  void dropUnsentCallsToAnEjectedNode() {
    trial = TrialReason.EJECTION_PROBE;
    PendingCall call = send("n1", null);
    context.cancel("client gone");
    assertThat(call.abandon()).isFalse();
    assertThat(log).containsExactly("begin n1", "forgotten", "abandoned");
  }

  @Test
  void sendsNothingForACancelledRequest() {
    context.cancel("client gone");
    send("n1", null);
    assertThat(log).isEmpty();
  }

  /** Its reply ends on the channel. */
  @Test
  void followNoCallWhoseReplyIsIgnored() {
    NodeCall<String> call =
        new NodeCall<>("free", out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
    sender.sendUntracked("n1", call, context, IgnoredReply.deferrable());
    assertThat(transport()).isSameAs(IgnoredReply.deferrable());
    transport = null;
    sender.sendUntracked("gone", call, context, IgnoredReply.deferrable());
    context.cancel("client gone");
    sender.sendUntracked("n1", call, context, IgnoredReply.deferrable());
    assertThat(transport).isNull();
    assertThat(log).isEmpty();
  }

  @Test
  void collectNoCallsWhileNoNodeTakesThemTogether() {
    assertThat(sender.startBatch(0).sender()).isSameAs(sender);
    assertThat(sender.startBatch(0).queuingNodes().test("n1")).isFalse();
  }

  @Test
  void recordNothingForAnUnknownNode() {
    send("gone", null);
    assertThat(log).containsExactly("NOT_SENT");
  }

  @Override
  public OutstandingRequest startRequest(String nodeId, Phase phase, int costClass) {
    log.add("begin " + nodeId);
    return new OutstandingRequest() {
      @Override
      public TrialReason trialReason() {
        return trial;
      }

      @Override
      public void onResponse(int queueSize, long serviceTimeNanos) {
        log.add("replied " + queueSize + " " + serviceTimeNanos);
      }

      @Override
      public void onResponseWithoutStats() {
        log.add("answered");
      }

      @Override
      public void onFailure(Failure failure) {
        log.add("failed " + failure);
      }

      @Override
      public void onAbandon() {
        log.add("abandoned");
      }
    };
  }

  @Override
  public @Nullable NodeClient byId(String nodeId) {
    return nodeId.equals("n1") ? this : null;
  }

  @Override
  public Collection<? extends NodeClient> all() {
    return List.of(this);
  }

  @Override
  public NodeEndpoint endpoint() {
    throw new UnsupportedOperationException("not asked");
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    transport = (ReplyHandler<Object>) handler;
    return new PendingCall() {
      @Override
      public boolean abandon() {
        return log.add("forgotten");
      }

      @Override
      public boolean isWritten() {
        return written;
      }
    };
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
