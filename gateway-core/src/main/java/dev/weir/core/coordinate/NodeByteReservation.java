package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that one piece of a write has on its node, from when it is sent until it is answered:
 * where there is no room it waits here, and holds nothing. Given back at the latest when the
 * request is cancelled. Confined to the request's home.
 */
final class NodeByteReservation {
  private final CoordinationServices environment;
  private final RequestContext context;
  private NodeWriteBytesLimiter.@Nullable Lease lease;
  private Runnable cancelTimer = () -> {};
  private boolean releasedOnCancel;

  NodeByteReservation(CoordinationServices environment, RequestContext context) {
    this.environment = environment;
    this.context = context;
  }

  /** What becomes of a piece that wants in. */
  interface ReservationListener {
    /** It has its room; {@code waited} for it, so that the cluster may have changed. */
    void onReserved(boolean waited);

    /** It found none in time. */
    void onTimeout(Exception why);
  }

  /**
   * Asks for room. At most one lease is held at a time: what was held before was given back.
   *
   * @param leftNanos for how long it may wait
   */
  void reserve(String nodeId, long bytes, long leftNanos, ReservationListener entry) {
    if (bytes == 0) {
      entry.onReserved(false);
      return;
    }
    if (!releasedOnCancel) {
      releasedOnCancel = true;
      context.onCancel(this::release);
    }
    NodeWriteBytesLimiter node = environment.writeFlow().byteLimiter(nodeId);
    LeaseListener waiter = new LeaseListener(entry);
    NodeWriteBytesLimiter.Lease asked = node.acquire(bytes, waiter);
    lease = asked;
    if (asked.isHeld()) {
      waiter.completeReserved(asked, false);
      return;
    }
    cancelTimer =
        environment
            .scheduler()
            .scheduleCancellable(
                Duration.ofNanos(Math.max(0, leftNanos)),
                context::runLater,
                () ->
                    waiter.completeTimedOut(
                        asked,
                        () -> environment.writeFlow().reservationTimeout(context, node, bytes)));
  }

  /** What hears of a lease that had to wait. */
  private final class LeaseListener implements Consumer<NodeWriteBytesLimiter.Lease> {
    private final ReservationListener listener;
    private boolean ended;

    LeaseListener(ReservationListener entry) {
      this.listener = entry;
    }

    /** On any thread. */
    @Override
    public void accept(NodeWriteBytesLimiter.Lease held) {
      try {
        context.runLater(() -> completeReserved(held, true));
      } catch (RuntimeException closing) {
        held.cancel(); // nobody is left at home
      }
    }

    void completeReserved(NodeWriteBytesLimiter.Lease held, boolean waited) {
      if (!ended && lease == held) {
        ended = true;
        cancelTimer.run();
        listener.onReserved(waited);
      }
    }

    void completeTimedOut(NodeWriteBytesLimiter.Lease asked, Supplier<Exception> why) {
      if (!ended && lease == asked) {
        ended = true;
        Exception measured = why.get();
        release();
        listener.onTimeout(measured);
      }
    }
  }

  /** The node has answered. */
  void onReply() {
    endLease(NodeWriteBytesLimiter.Lease::onResponse);
  }

  /** The node refused it. */
  void onRejected(long nodesLimit) {
    endLease(held -> held.onRejection(nodesLimit));
  }

  /** It is no longer under way, or does not want in any more. */
  void release() {
    endLease(NodeWriteBytesLimiter.Lease::cancel);
  }

  private void endLease(Consumer<NodeWriteBytesLimiter.Lease> how) {
    cancelTimer.run();
    NodeWriteBytesLimiter.Lease held = lease;
    lease = null;
    if (held != null) {
      how.accept(held);
    }
  }
}
