package dev.weir.admission.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request's position in the queue. Written under the lock of its queue.
 *
 * @param <T> requests
 */
public final class QueuePosition<T> {
  private static final double VIRTUAL_DEADLINE_FACTOR = 5;

  /** The life cycle of a position. */
  public enum State {
    /** Waits for capacity. */
    WAITING,
    /** May be sent. */
    ADMITTED,
    REJECTED,
    /** Left the queue: the client disconnected, or all calls were sent. */
    RELEASED
  }

  final T request;
  final long arrivedNanos;
  final double costNanos;

  // guarded by the queue
  QueuedRequest queuedRequest;
  long sequence;

  /** Whether it has waited for several nodes for so long that it may exceed a limit. */
  boolean mayOvercommit;

  @Nullable WaitQueue<T> waitQueue;
  List<SlotReservation> slotReservations = List.of();

  private volatile State state = State.WAITING;
  private volatile @Nullable QueueRejection rejection;

  /** Slots reserved on a node for the calls of one need. */
  record SlotReservation(NodeConcurrencyLimiter limiter, String tenant, NodeDemand.Need need) {
    void cancel() {
      limiter.cancelReservation(tenant, need.atOnce());
    }
  }

  QueuePosition(T request, QueuedRequest queuedRequest, long arrivedNanos, double costNanos) {
    this.request = request;
    this.queuedRequest = queuedRequest;
    this.arrivedNanos = arrivedNanos;
    this.costNanos = costNanos;
  }

  public T request() {
    return request;
  }

  public State state() {
    return state;
  }

  /** Returns why the request was rejected; null if it was not. */
  public @Nullable QueueRejection rejection() {
    return rejection;
  }

  /** Returns whether slots of a node are reserved. Call it on the thread that releases. */
  public boolean isReservedOn(String nodeId) {
    if (state == State.ADMITTED) {
      for (SlotReservation reservation : slotReservations) {
        if (reservation.limiter().nodeId().equals(nodeId)) {
          return true;
        }
      }
    }
    return false;
  }

  void state(State next) {
    state = next;
  }

  void reject(QueueRejection reason) {
    rejection = reason;
    state = State.REJECTED;
  }

  /** Returns the virtual deadline, which orders requests: cheap ones get an earlier deadline. */
  double virtualDeadlineNanos() {
    return arrivedNanos + VIRTUAL_DEADLINE_FACTOR * costNanos;
  }
}
