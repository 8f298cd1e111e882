package dev.weir.core.coordinate;

import dev.weir.core.reduce.NodeTasks;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sees to it that nodes forget the bans that cancelled requests put on their tasks: says so again
 * where that did not reach the node. Safe on any thread.
 */
public final class TaskBans {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int PAUSE_FACTOR = 4;

  /** After so many attempts, 85 seconds, the node is gone, and with it what it remembers. */
  private static final int MOST_ATTEMPTS = 5;

  private final Delays delays;
  private final AtomicInteger unlifted = new AtomicInteger();
  private final LongAdder lifted = new LongAdder();
  private final LongAdder lost = new LongAdder();

  /** Starts with none. */
  public TaskBans(Delays delays) {
    this.delays = delays;
  }

  /** Bans that nodes were told to forget and have not said that they did. */
  public int unlifted() {
    return unlifted.get();
  }

  /** Bans that nodes forgot. */
  public long lifted() {
    return lifted.sum();
  }

  /** Bans that nodes could not be told to forget. */
  public long lost() {
    return lost.sum();
  }

  /**
   * Makes a node forget a ban.
   *
   * @param context a context that is not cancelled, on whose home it is called
   */
  void lift(NodeSender sender, String nodeId, NodeTasks tasks, RequestContext context) {
    unlifted.incrementAndGet();
    new Lifting(sender, nodeId, tasks, context).attempt();
  }

  private final class Lifting implements ReplyHandler<Object> {
    private final NodeSender sender;
    private final String nodeId;
    private final NodeTasks tasks;
    private final RequestContext context;
    private Duration pause = FIRST_PAUSE;
    private int attempts;

    Lifting(NodeSender sender, String nodeId, NodeTasks tasks, RequestContext context) {
      this.sender = sender;
      this.nodeId = nodeId;
      this.tasks = tasks;
      this.context = context;
    }

    void attempt() {
      attempts++;
      send(tasks.unban());
    }

    @SuppressWarnings("unchecked") // it never looks at what it hears
    private <R> void send(NodeCall<R> call) {
      sender.sendAside(nodeId, call, context, (ReplyHandler<R>) this);
    }

    @Override
    public void onReply(Object reply, ReplyFrame frame) {
      unlifted.decrementAndGet();
      lifted.increment();
    }

    @Override
    public void onFailure(NodeFailure failure) {
      if (attempts < MOST_ATTEMPTS) {
        delays.after(pause, context.home(), this::attempt);
        pause = pause.multipliedBy(PAUSE_FACTOR);
      } else {
        unlifted.decrementAndGet();
        lost.increment();
      }
    }
  }
}
