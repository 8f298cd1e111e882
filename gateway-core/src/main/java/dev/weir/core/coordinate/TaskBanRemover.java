package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sees to it that nodes forget the bans that cancelled requests put on their tasks: says so again
 * where that did not reach the node. Safe on any thread.
 */
public final class TaskBanRemover {
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(1), 4, Duration.ofSeconds(64));

  /** After so many attempts, 85 seconds, the node is gone, and with it what it remembers. */
  private static final int MAX_ATTEMPTS = 5;

  private final DelayScheduler delays;
  private final AtomicInteger pendingRemovals = new AtomicInteger();
  private final LongAdder completedRemovals = new LongAdder();
  private final LongAdder failedRemovals = new LongAdder();

  /** Starts with none. */
  public TaskBanRemover(DelayScheduler delays) {
    this.delays = delays;
  }

  /** Bans that nodes were told to forget and have not said that they did. */
  public int pendingRemovals() {
    return pendingRemovals.get();
  }

  /** Bans that nodes forgot. */
  public long completedRemovals() {
    return completedRemovals.sum();
  }

  /** Bans that nodes could not be told to forget. */
  public long failedRemovals() {
    return failedRemovals.sum();
  }

  /**
   * Makes a node forget a ban.
   *
   * @param context a context that is not cancelled, on whose home it is called
   */
  void remove(NodeSender sender, String nodeId, NodeTaskBan tasks, RequestContext context) {
    pendingRemovals.incrementAndGet();
    new BanRemoval(sender, nodeId, tasks, context).attempt();
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

    @SuppressWarnings("unchecked") // it never looks at what it hears
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
