package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Parts that wait for others, for a time and up to an amount. Confined to one home. */
final class MergeBatch implements MergeablePart.Holder {
  private final MergeQueue queue;
  private final BulkPolicy.Merge policy;
  private final Runnable stopTimer;
  private final List<MergeablePart> parts = new ArrayList<>();
  private int documents;
  private long bytes;
  private boolean dispatched;

  /** Begins; goes by itself when the time is over. */
  MergeBatch(MergeQueue lane, BulkPolicy.Merge policy, Executor home) {
    this.queue = lane;
    this.policy = policy;
    this.stopTimer = lane.delays().scheduleCancellable(policy.maxDelay(), home, this::dispatch);
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
    queue.counts().incrementWaiting();
    if (documents >= policy.maxBatchItems() || bytes >= policy.maxBatchBytes().bytes()) {
      dispatch();
    }
  }

  @Override
  public void onCancelled(MergeablePart part) {
    parts.remove(part);
    documents -= part.items().length;
    bytes -= part.bytes();
    queue.counts().decrementWaiting();
    if (parts.isEmpty()) {
      dispatch();
    }
  }

  /** They go. */
  void dispatch() {
    if (dispatched) {
      return;
    }
    dispatched = true;
    stopTimer.run();
    parts.forEach(part -> queue.counts().decrementWaiting());
    queue.onDispatched(this, parts);
  }
}
