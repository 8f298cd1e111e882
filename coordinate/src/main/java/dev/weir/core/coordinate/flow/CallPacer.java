package dev.weir.core.coordinate.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * Sends the calls of a round, and keeps some of them back while those in flight carry as many bytes
 * as they may: calls that each carry a large id would otherwise fill the memory that calls to all
 * nodes share. A node has its share of these bytes, so that one that does not respond holds back
 * few calls to others. Confined to the event loop of the round's request.
 */
public final class CallPacer {
  /** The bytes that the calls of a round may have in flight. A larger call is in flight alone. */
  public static final long MAX_BYTES = 4L << 20;

  private final IntFunction<String> nodeIds;
  private final IntToLongFunction bytes;
  private final IntConsumer sender;
  private final Map<String, NodeCalls> byNode = new HashMap<>();
  private final List<NodeCalls> nodes = new ArrayList<>();
  private int nextNode;
  private long bytesInFlight;
  private boolean isSending;

  /** The calls to one node. */
  private static final class NodeCalls {
    private final Queue<Integer> waiting = new ArrayDeque<>();
    private long bytesInFlight;
  }

  /**
   * Sends nothing yet.
   *
   * @param nodeIds returns the node of a call, always the same one
   * @param bytes returns the size of a call, always the same one
   * @param sender sends a call; its outcome may come at once
   */
  public CallPacer(IntFunction<String> nodeIds, IntToLongFunction bytes, IntConsumer sender) {
    this.nodeIds = nodeIds;
    this.bytes = bytes;
    this.sender = sender;
  }

  /** Sends the calls 0, 1, ... of the round as far as they may be in flight. Called once. */
  public void start(int calls) {
    for (int call = 0; call < calls; call++) {
      byNode.computeIfAbsent(nodeIds.apply(call), _ -> addNode()).waiting.add(call);
    }
    sendWaiting();
  }

  private NodeCalls addNode() {
    NodeCalls added = new NodeCalls();
    nodes.add(added);
    return added;
  }

  /** Takes the outcome of a call that was sent, its only one, and sends calls in its place. */
  public void onOutcome(int call) {
    addInFlight(
        Objects.requireNonNull(byNode.get(nodeIds.apply(call)), "got a call of no node"),
        -bytes.applyAsLong(call));
    sendWaiting();
  }

  private void sendWaiting() {
    if (isSending) {
      return; // the outcome of a call came while it was sent: the loop below continues
    }
    isSending = true;
    try {
      for (int call = takeNext(); call >= 0; call = takeNext()) {
        sender.accept(call);
      }
    } finally {
      isSending = false;
    }
  }

  /** Takes a call that may be sent now, of one node after the other; -1 for none. */
  private int takeNext() {
    for (int tried = 0; tried < nodes.size(); tried++) {
      NodeCalls node = nodes.get(nextNode);
      nextNode = (nextNode + 1) % nodes.size();
      Integer call = node.waiting.peek();
      if (call != null && fits(node, bytes.applyAsLong(call))) {
        node.waiting.remove();
        addInFlight(node, bytes.applyAsLong(call));
        return call;
      }
    }
    return -1;
  }

  private boolean fits(NodeCalls node, long more) {
    return (bytesInFlight == 0 || bytesInFlight + more <= MAX_BYTES)
        && (node.bytesInFlight == 0 || node.bytesInFlight + more <= MAX_BYTES / nodes.size());
  }

  private void addInFlight(NodeCalls node, long more) {
    bytesInFlight += more;
    node.bytesInFlight += more;
  }
}
