package dev.weir.admission.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that asked to be let in. Written under the lock of its queue.
 *
 * @param <T> requests
 */
public final class QueuePosition<T> {
  /** How it stands. */
  public enum State {
    /** It waits. */
    WAITING,
    /** It was let in. */
    ADMITTED,
    /** It was refused. */
    REJECTED,
    /** It has left. */
    RELEASED
  }

  final T request;
  final AdmissionQueue.QueuedRequest queuedRequest;
  final long arrivedNanos;
  final double costNanos;

  // guarded by the queue
  long sequence;
  @Nullable WaitQueue<T> waitQueue;
  List<SlotReservation> slotReservations = List.of();

  private volatile State state = State.WAITING;
  private volatile @Nullable QueueRejection rejection;

  /** Room that is kept for it on a node. */
  record SlotReservation(NodeConcurrencyLimiter limiter, int calls) {}

  QueuePosition(
      T request, AdmissionQueue.QueuedRequest asking, long arrivedNanos, double costNanos) {
    this.request = request;
    this.queuedRequest = asking;
    this.arrivedNanos = arrivedNanos;
    this.costNanos = costNanos;
  }

  /** The request. */
  public T request() {
    return request;
  }

  /** How it stands now. */
  public State state() {
    return state;
  }

  /** Why it was refused; null when it was not. */
  public @Nullable QueueRejection rejection() {
    return rejection;
  }

  void state(State next) {
    state = next;
  }

  void reject(QueueRejection why) {
    rejection = why;
    state = State.REJECTED;
  }

  /** The moment that its turn is reckoned from: what costs little does not wait behind the rest. */
  double virtualDeadlineNanos() {
    return arrivedNanos + AdmissionQueue.VIRTUAL_DEADLINE_FACTOR * costNanos;
  }
}
