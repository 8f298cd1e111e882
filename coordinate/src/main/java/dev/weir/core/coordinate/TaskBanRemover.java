package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.RequestTrace;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Removes the bans of cancelled requests from nodes, and retries where a node could not be reached.
 * Safe on any thread.
 */
public final class TaskBanRemover {
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(1), 4, Duration.ofSeconds(64));

  /** After these attempts, 85 seconds, the node has left, and its bans with it. */
  private static final int MAX_ATTEMPTS = 5;

  private final DelayScheduler delays;
  private final AtomicInteger pendingRemovals = new AtomicInteger();
  private final LongAdder completedRemovals = new LongAdder();
  private final LongAdder failedRemovals = new LongAdder();

  /** Starts without pending removals. */
  public TaskBanRemover(DelayScheduler delays) {
    this.delays = delays;
  }

  /** Bans whose removal no node has confirmed yet. */
  public int pendingRemovals() {
    return pendingRemovals.get();
  }

  /** Bans that nodes have removed. */
  public long completedRemovals() {
    return completedRemovals.sum();
  }

  /** Bans whose removal was given up. */
  public long failedRemovals() {
    return failedRemovals.sum();
  }

  /**
   * Removes a ban from a node.
   *
   * @param context a context that is not cancelled; its event loop is the caller's
   */
  void remove(NodeSender sender, String nodeId, NodeTaskBan tasks, RequestContext context) {
    pendingRemovals.incrementAndGet();
    RequestContext own = context.newSubContext();
    own.resources().setTrace(RequestTrace.NONE); // the request's trace may have ended
    new BanRemoval(sender, nodeId, tasks, own).attempt();
  }

  private final class BanRemoval implements ReplyHandler<Object> {
    private final NodeSender sender;
    private final String nodeId;
    private final NodeTaskBan tasks;
    private final RequestContext context;
    private int attempts;

    BanRemoval(NodeSender sender, String nodeId, NodeTaskBan tasks, RequestContext context) {
      this.sender = sender;
      this.nodeId = nodeId;
      this.tasks = tasks;
      this.context = context;
    }

    void attempt() {
      attempts++;
      send(tasks.createUnbanCall());
    }

    @SuppressWarnings("unchecked") // the handler ignores its argument
    private <R> void send(NodeCall<R> call) {
      sender.sendUntracked(nodeId, call, context, (ReplyHandler<R>) this);
    }

    @Override
    public void onReply(Object reply, ReplyFrame frame) {
      pendingRemovals.decrementAndGet();
      completedRemovals.increment();
    }

    @Override
    public void onFailure(NodeCallException failure) {
      if (attempts < MAX_ATTEMPTS) {
        Duration pause = Duration.ofNanos(BACKOFF.delayNanos(attempts));
        delays.schedule(pause, context.eventLoop(), this::attempt);
      } else {
        pendingRemovals.decrementAndGet();
        failedRemovals.increment();
      }
    }
  }
}
