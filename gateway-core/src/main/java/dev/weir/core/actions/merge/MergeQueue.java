package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.NodeSender;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue of mergeable parts with one key. A part that arrives while no call runs is sent alone
 * at once. A part that arrives during a call waits for others. As long as waiting yields merged
 * calls, all parts wait. Confined to one event loop.
 */
final class MergeQueue implements MergeServices, MergeBatch.DispatchListener {
  private final BulkMergeCounts counts;
  private final NodeSender sender;
  private final DelayScheduler delays;
  private final LongSupplier nanoTime;
  private final String nodeId;
  private @Nullable MergeBatch batch;
  private int callsInFlight;
  private boolean lastBatchMerged;

  MergeQueue(
      BulkMergeCounts counts,
      NodeSender sender,
      DelayScheduler delays,
      LongSupplier nanoTime,
      String nodeId) {
    this.counts = counts;
    this.sender = sender;
    this.delays = delays;
    this.nanoTime = nanoTime;
    this.nodeId = nodeId;
  }

  @Override
  public NodeSender sender() {
    return sender;
  }

  @Override
  public LongSupplier nanoTime() {
    return nanoTime;
  }

  @Override
  public String nodeId() {
    return nodeId;
  }

  /** Adds a part, which is sent now or a little later. */
  MergeablePart add(MergeablePart part, BulkPolicy.Merge policy) {
    part.context().onCancel(part);
    MergeBatch open = batch;
    if (open != null && !open.hasRoomFor(part)) {
      open.dispatch();
      open = null;
    }
    if (open == null && !lastBatchMerged && callsInFlight == 0) {
      new SinglePartCall(this, part).send();
      return part;
    }
    if (open == null) {
      open = new MergeBatch(this, counts, policy, delays, part.context().eventLoop());
      batch = open;
    }
    open.add(part);
    return part;
  }

  @Override
  public void onDispatched(MergeBatch ended, List<MergeablePart> parts) {
    if (batch == ended) {
      batch = null;
    }
    lastBatchMerged = parts.size() > 1;
    SharedResponseMemory answers = new SharedResponseMemory();
    List<MergeablePart> together = new ArrayList<>(parts.size());
    for (MergeablePart part : parts) {
      if (lastBatchMerged && answers.tryReserve(part)) {
        together.add(part);
      } else {
        sendAlone(part);
      }
    }
    if (together.size() > 1) {
      counts.recordMerged(together.size());
      new MergedBulkCall(this, together, answers).send();
    } else {
      answers.close();
      together.forEach(this::sendAlone);
    }
  }

  private void sendAlone(MergeablePart part) {
    counts.recordMiss();
    new SinglePartCall(this, part).send();
  }

  @Override
  public void onCallStarted() {
    callsInFlight++;
  }

  @Override
  public void onCallEnded() {
    callsInFlight--;
  }
}
