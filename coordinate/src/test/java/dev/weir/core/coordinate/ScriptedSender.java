package dev.weir.core.coordinate;

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
import org.opensearch.OpenSearchException;

/** Records calls, for the test to answer. */
public final class ScriptedSender implements NodeSender {
  public final List<Sent> sent = new ArrayList<>();

  /** The calls of each batch, as node and action. */
  public final List<List<String>> batches = new ArrayList<>();

  /** Nodes that bound the queries of a batch themselves. */
  public final Set<String> queuingNodes = new HashSet<>();

  /** Nodes whose calls wait for a connection. */
  public final Set<String> unconnectedNodes = new HashSet<>();

  /** The bound of the newest batch. */
  public int maxRunning;

  /** A call. */
  public static final class Sent {
    public final String nodeId;
    public final NodeCall<?> call;
    private final ReplyHandler<Object> handler;

    /** Whether its sender has forgotten it. */
    public boolean isAbandoned;

    /** Whether it waits on its node, for all that its sender was told. */
    public boolean waits;

    @SuppressWarnings("unchecked")
    private Sent(String nodeId, NodeCall<?> call, ReplyHandler<?> handler) {
      this.nodeId = nodeId;
      this.call = call;
      this.handler = (ReplyHandler<Object>) handler;
    }

    /** Returns whether the handler would use a result. */
    public boolean isResultUsed() {
      return handler.isResultUsed();
    }

    /** Returns whether it may travel with a later call. */
    public boolean isDeferrable() {
      return handler.isDeferrable();
    }

    public void reply(Object reply) {
      handler.onReply(reply, new EmptyFrame());
    }

    public void fail(NodeCallException.Kind kind, Exception cause) {
      handler.onFailure(new NodeCallException(kind, nodeId, cause));
    }

    public void fail(NodeCallException.Kind kind) {
      fail(kind, new OpenSearchException(kind.name()));
    }
  }

  @Override
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    Sent one = new Sent(nodeId, call, handler);
    sent.add(one);
    return new PendingCall() {
      @Override
      public boolean abandon() {
        one.isAbandoned = true;
        return true;
      }

      @Override
      public boolean isWritten() {
        return !unconnectedNodes.contains(nodeId);
      }
    };
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return send(nodeId, NodeCallType.HITS, call, context, null, handler);
  }

  /** Sends at once, and notes at the flush which calls came together. */
  @Override
  public CallBatch startBatch(int bound) {
    int first = sent.size();
    maxRunning = bound;
    return new CallBatch(
        this,
        new QueuingSender(),
        nodeId -> bound > 0 && queuingNodes.contains(nodeId),
        () -> batches.add(actions().subList(first, sent.size())));
  }

  /** Sends calls that begin later. */
  private final class QueuingSender implements NodeSender {
    @Override
    public <R> PendingCall send(
        String nodeId,
        NodeCallType work,
        NodeCall<R> call,
        RequestContext context,
        @Nullable LoadFeedback<R> loadFeedback,
        ReplyHandler<R> handler) {
      Sent one = new Sent(nodeId, call, handler);
      one.waits = true;
      sent.add(one);
      return new QueuedCall() {
        @Override
        public void begin() {
          one.waits = false;
        }

        @Override
        public boolean abandon() {
          return true;
        }
      };
    }

    @Override
    public <R> PendingCall sendUntracked(
        String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
      return ScriptedSender.this.sendUntracked(nodeId, call, context, handler);
    }
  }

  /** Returns the last call of an action. */
  public Sent sent(String action) {
    return sent.stream()
        .filter(one -> one.call.action().equals(action))
        .reduce((first, last) -> last)
        .orElseThrow(() -> new AssertionError("got " + actions() + " (expected: " + action + ")"));
  }

  /** Returns all calls, as node and action. */
  public List<String> actions() {
    return sent.stream().map(one -> one.nodeId + " " + one.call.action()).toList();
  }

  /** Returns the calls whose text contains this. */
  public List<String> actions(String part) {
    return actions().stream().filter(one -> one.contains(part)).toList();
  }

  public Sent last() {
    return sent.getLast();
  }

  public List<String> nodes() {
    return sent.stream().map(one -> one.nodeId).toList();
  }

  /** A frame without memory. */
  public static final class EmptyFrame implements ReplyFrame {
    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of("Warning", Set.of("299 odd"));
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
}
