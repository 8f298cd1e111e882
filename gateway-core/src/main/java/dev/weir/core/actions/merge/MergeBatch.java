package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Parts that wait to be merged, for a limited time and up to a limited size. Confined to one event
 * loop.
 */
final class MergeBatch implements MergeablePart.Holder {
  private final DispatchListener listener;
  private final BulkMergeCounts counts;
  private final BulkPolicy.Merge policy;
  private final Runnable stopTimer;
  private final List<MergeablePart> parts = new ArrayList<>();
  private int documents;
  private long bytes;
  private boolean dispatched;

  /** Notified once when a batch is full, its time has passed, or all its parts were cancelled. */
  interface DispatchListener {
    /** The batch accepts no more parts. */
    void onDispatched(MergeBatch batch, List<MergeablePart> parts);
  }

  /** Dispatches itself after the policy's {@code max-delay}, in a task of the event loop. */
  MergeBatch(
      DispatchListener listener,
      BulkMergeCounts counts,
      BulkPolicy.Merge policy,
      DelayScheduler delays,
      Executor eventLoop) {
    this.listener = listener;
    this.counts = counts;
    this.policy = policy;
    this.stopTimer = delays.scheduleCancellable(policy.maxDelay(), eventLoop, this::dispatch);
  }

  boolean hasRoomFor(MergeablePart part) {
    return documents + part.items().length <= policy.maxBatchItems()
        && bytes + part.bytes() <= policy.maxBatchBytes().bytes();
  }

  void add(MergeablePart part) {
    part.moveTo(this);
    parts.add(part);
    documents += part.items().length;
    bytes += part.bytes();
    counts.incrementWaiting();
    if (documents >= policy.maxBatchItems() || bytes >= policy.maxBatchBytes().bytes()) {
      dispatch();
    }
  }

  @Override
  public void onCancelled(MergeablePart part) {
    parts.remove(part);
    documents -= part.items().length;
    bytes -= part.bytes();
    counts.decrementWaiting();
    if (parts.isEmpty()) {
      dispatch();
    }
  }

  /** Dispatches the parts. */
  void dispatch() {
    if (dispatched) {
      return;
    }
    dispatched = true;
    stopTimer.run();
    parts.forEach(part -> counts.decrementWaiting());
    listener.onDispatched(this, parts);
  }
}
