package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request's place in {@link LateBindingQueue}: bound to a copy, or waiting for one. Guarded by
 * the binding; a place that never waited belongs to its caller.
 *
 * @param <T> requests
 */
public final class CopyAssignment<T> {
  /** How it stands; only ever goes on. */
  enum State {
    WAITING,
    /** Bound after it waited; its node keeps room for it. */
    BOUND,
    /** Sent, or given up. */
    FINISHED
  }

  final T request;
  final Phase phase;
  final int costClass;
  final long arrivedNanos;

  /** The policy that its request goes by. */
  final CompiledRoutingPolicy routing;

  /** By when it should be bound; earlier ones go first, of equal ones the one that came first. */
  long deadlineNanos;

  long sequence;
  List<ShardCopy> copies;
  State state = State.WAITING;
  private @Nullable ShardCopy copy;

  /** Whether it ever waited; set, if at all, by who offers it. */
  boolean hasWaited;

  /** Where it waits; null when it does not. */
  @Nullable CopyWaitQueue<T> queue;

  /** The node that keeps room for it; null where none does. */
  @Nullable NodePhaseState node;

  CopyAssignment(
      T request,
      List<ShardCopy> copies,
      Phase phase,
      int costClass,
      long arrivedNanos,
      CompiledRoutingPolicy by) {
    this.request = request;
    this.copies = copies;
    this.phase = phase;
    this.costClass = costClass;
    this.arrivedNanos = arrivedNanos;
    this.routing = by;
  }

  /** The request. */
  public T request() {
    return request;
  }

  /**
   * The copy that it was bound to when it was offered; null when it waits, whatever has become of
   * it since. For who offered it, on that thread.
   */
  public @Nullable ShardCopy immediateCopy() {
    return hasWaited ? null : copy;
  }

  /** The copy that it is bound to; null while it waits. For who hears that it is bound. */
  public @Nullable ShardCopy copy() {
    return copy;
  }

  void bindTo(ShardCopy chosen, State next) {
    copy = chosen;
    state = next;
  }

  boolean isBefore(CopyAssignment<?> other) {
    long sooner = deadlineNanos - other.deadlineNanos;
    return sooner < 0 || (sooner == 0 && sequence < other.sequence);
  }
}
