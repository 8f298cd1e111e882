package dev.weir.admission.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that asked to be let in. Written under the lock of its queue.
 *
 * @param <T> requests
 */
public final class Place<T> {
  /** How it stands. */
  public enum Stand {
    /** It waits. */
    WAITING,
    /** It was let in. */
    IN,
    /** It was refused. */
    REFUSED,
    /** It has left. */
    OVER
  }

  final T request;
  final AdmissionQueue.Asking asking;
  final long arrivedNanos;
  final double costNanos;

  // guarded by the queue
  long number;
  @Nullable Line<T> line;
  List<Promise> promises = List.of();

  private volatile Stand stand = Stand.WAITING;
  private volatile @Nullable QueueRefusal refusal;

  /** Room that is kept for it on a node. */
  record Promise(NodeLane lane, int calls) {}

  Place(T request, AdmissionQueue.Asking asking, long arrivedNanos, double costNanos) {
    this.request = request;
    this.asking = asking;
    this.arrivedNanos = arrivedNanos;
    this.costNanos = costNanos;
  }

  /** The request. */
  public T request() {
    return request;
  }

  /** How it stands now. */
  public Stand stand() {
    return stand;
  }

  /** Why it was refused; null when it was not. */
  public @Nullable QueueRefusal refusal() {
    return refusal;
  }

  void stand(Stand next) {
    stand = next;
  }

  void refuse(QueueRefusal why) {
    refusal = why;
    stand = Stand.REFUSED;
  }

  /** The moment that its turn is reckoned from: what costs little does not wait behind the rest. */
  double turn() {
    return arrivedNanos + AdmissionQueue.PATIENCE * costNanos;
  }
}
