package dev.weir.core.coordinate.write;

import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves the bytes of one write operation on its node, from sending until the reply. While the
 * node has no capacity the operation waits here and holds nothing. Released at the latest when the
 * request is cancelled. Confined to the request's event loop.
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

  /** Hears the outcome of a reservation. */
  interface ReservationListener {
    /**
     * The bytes are reserved; {@code waited} tells whether that took time, so that the cluster may
     * have changed.
     */
    void onReserved(boolean waited);

    /** The node had no capacity in time. */
    void onTimeout(Exception cause);
  }

  /**
   * Reserves bytes. At most one lease is held at a time: release the last one first.
   *
   * @param leftNanos how long the operation may wait
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

  /** Hears of a lease that had to wait. */
  private final class LeaseListener implements Consumer<NodeWriteBytesLimiter.Lease> {
    private final ReservationListener listener;
    private boolean ended;

    LeaseListener(ReservationListener entry) {
      this.listener = entry;
    }

    /** Called on any thread. */
    @Override
    public void accept(NodeWriteBytesLimiter.Lease held) {
      try {
        context.runLater(() -> completeReserved(held, true));
      } catch (RuntimeException closing) {
        held.cancel(); // the event loop has shut down
      }
    }

    void completeReserved(NodeWriteBytesLimiter.Lease held, boolean waited) {
      if (!ended && lease == held) {
        ended = true;
        cancelTimer.run();
        listener.onReserved(waited);
      }
    }

    void completeTimedOut(NodeWriteBytesLimiter.Lease asked, Supplier<Exception> cause) {
      if (!ended && lease == asked) {
        ended = true;
        Exception measured = cause.get();
        release();
        listener.onTimeout(measured);
      }
    }
  }

  /** Releases the bytes after the node's reply. */
  void onReply() {
    endLease(NodeWriteBytesLimiter.Lease::onResponse);
  }

  /** Releases the bytes after the node rejected the operation. */
  void onRejected(long nodesLimit) {
    endLease(held -> held.onRejection(nodesLimit));
  }

  /** Releases the bytes, or stops waiting for them. */
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
