package dev.weir.protocol;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.opensearch.transport.TransportService;

/**
 * Asks all nodes of a cluster at once whether they answer. A node answers on the thread that reads
 * its connection, so also while it is overloaded. A frozen node does not answer, although its
 * system still takes connections. Safe on any thread.
 */
public final class NodesPing {
  private NodesPing() {}

  /**
   * Sends the question.
   *
   * @param timeout how long a node has time
   * @param onOutcome gets true as soon as a node answers, whatever the answer is, or false when no
   *     node has answered in time; once, on an event loop or on the calling thread
   */
  public static void send(NodeClients clients, Duration timeout, Consumer<Boolean> onOutcome) {
    List<? extends NodeClient> nodes = List.copyOf(clients.all());
    Outcome outcome = new Outcome(nodes.size(), onOutcome);
    if (nodes.isEmpty()) {
      onOutcome.accept(false);
    }
    nodes.forEach(node -> node.send(Handshake.nodeCall(timeout), Runnable::run, outcome));
  }

  private static final class Outcome implements ReplyHandler<TransportService.HandshakeResponse> {
    private final Consumer<Boolean> onOutcome;
    private final AtomicInteger left;
    private final AtomicBoolean answered = new AtomicBoolean();

    Outcome(int nodes, Consumer<Boolean> onOutcome) {
      this.left = new AtomicInteger(nodes);
      this.onOutcome = onOutcome;
    }

    @Override
    public void onReply(TransportService.HandshakeResponse reply, ReplyFrame frame) {
      onNode(true);
    }

    @Override
    public void onFailure(NodeCallException failure) {
      onNode(
          switch (failure.kind()) {
            case REMOTE, MALFORMED, OVER_BUDGET -> true;
            case NOT_SENT, CONNECTION_LOST, TIMED_OUT -> false;
          });
    }

    private void onNode(boolean answers) {
      boolean last = left.decrementAndGet() == 0;
      if ((answers || last) && answered.compareAndSet(false, true)) {
        onOutcome.accept(answers);
      }
    }
  }
}
