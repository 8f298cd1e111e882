package dev.weir.core.coordinate;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Nodes that answer in virtual time, some with pauses, together with the clock and the timers. */
final class VirtualNodes implements NodeClients, DelayScheduler {
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final RandomGenerator random;
  private long now = TimeUnit.HOURS.toNanos(1);
  private long added;

  /** Every call, as the node and the action. */
  final List<String> sent = new ArrayList<>();

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  VirtualNodes(RandomGenerator random, String... ids) {
    this.random = random;
    for (String id : ids) {
      nodes.put(id, new Node(id));
    }
  }

  long now() {
    return now;
  }

  void at(long nanosFromNow, Runnable action) {
    events.add(new Event(now + nanosFromNow, added++, action));
  }

  /** Runs all events. */
  void run() {
    while (!events.isEmpty()) {
      Event next = events.remove();
      now = next.at();
      next.action().run();
    }
  }

  /** Pauses a node for a time from now. */
  void stop(String nodeId, long nanos) {
    Node node = nodes.get(nodeId);
    if (node == null) {
      throw new IllegalArgumentException("got " + nodeId + " (expected: one of " + nodes + ")");
    }
    node.stoppedUntil = now + nanos;
  }

  long count(String action) {
    return sent.stream().filter(one -> one.endsWith(action)).count();
  }

  @Override
  public void schedule(java.time.Duration delay, Executor home, Runnable action) {
    at(delay.toNanos(), action);
  }

  @Override
  public @Nullable NodeClient byId(String nodeId) {
    return nodes.get(nodeId);
  }

  @Override
  public Collection<? extends NodeClient> all() {
    return nodes.values();
  }

  /** Answers after 1 to 10 ms, but not during a pause. */
  private final class Node implements NodeClient {
    private final String id;
    private long stoppedUntil;

    Node(String id) {
      this.id = id;
    }

    @Override
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      sent.add(id + " " + call.action());
      long answersAt = now + 1_000_000 + random.nextLong(9_000_000);
      at(answersAt - now, () -> answer(handler));
      return () -> true;
    }

    private <R> void answer(ReplyHandler<R> handler) {
      if (now < stoppedUntil) {
        at(stoppedUntil - now, () -> answer(handler));
        return;
      }
      @SuppressWarnings("unchecked") // the tests' calls are answered with text
      R reply = (R) "ok";
      handler.onReply(reply, new ScriptedSender.EmptyFrame());
    }

    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException("not asked");
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }
}
