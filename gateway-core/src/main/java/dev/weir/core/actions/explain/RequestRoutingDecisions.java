package dev.weir.core.actions.explain;

import dev.weir.model.NodeCallType;
import dev.weir.model.RoutingDecisions;
import dev.weir.model.ShardRoutingRecorder.Reason;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which copies one request chose among, by which numbers, and which were asked: what was at hand,
 * bounded, and put into words only when somebody wants to know. Written on the request's event
 * loop, read on any thread.
 */
public final class RequestRoutingDecisions implements RoutingDecisions, RoutingCallLog {
  /** Copies, and calls, that are kept; of more only the number. */
  private static final int MAX_RECORDED = 128;

  private final RecordingContext recording;
  private final RecentRejections.RequestIdentity identity;
  private final String action;
  private final ReplicaSelector selector;
  private final long startedMillis;
  private final long startedNanos;
  private volatile boolean isRemarkable;
  private volatile @Nullable ShardRoutingDecision newestShard;
  private volatile List<PrunedIndexRecord> prunedIndices = List.of();
  private int omittedIndices;
  private volatile @Nullable ShardSample sampled;

  // written on the request's event loop alone; who reads them elsewhere may see the number before
  private int copies;
  private int calls;
  private int omittedShards;
  private int omittedCalls;

  /**
   * What part of a search's shards was asked, to estimate what all would answer.
   *
   * @param seed what decided which
   */
  record ShardSample(int shards, int totalShards, long seed) {}

  /**
   * Makes one without a shard.
   *
   * @param selector puts its copies in order
   * @param identity whose request it is
   */
  RequestRoutingDecisions(
      RecordingContext recording,
      ReplicaSelector selector,
      RecentRejections.RequestIdentity identity,
      String action,
      long startedMillis) {
    this.selector = selector;
    this.recording = recording;
    this.identity = identity;
    this.action = action;
    this.startedMillis = startedMillis;
    this.startedNanos = recording.nanoTime().getAsLong();
  }

  /** Shards whose copies are going to be put in order now, for requests of this cost. */
  public CopyScorer newScorer(NodeCallType work) {
    return new CopyScorer(this, selector, work);
  }

  /** So many of so many shards are asked, as a sample that this seed decided. */
  public void sampled(int shards, int of, long seed) {
    sampled = new ShardSample(shards, of, seed);
  }

  /** What part of the shards was asked; null for all. */
  @Nullable ShardSample sampled() {
    return sampled;
  }

  /** Counts a shard with so many copies; says whether it is kept. */
  boolean tryAddShard(int more) {
    if (copies + Math.max(1, more) > MAX_RECORDED) {
      omittedShards++;
      return false;
    }
    copies += Math.max(1, more);
    return true;
  }

  ShardRoutingDecision add(ShardRoutingDecision shard) {
    shard.setPrevious(newestShard);
    newestShard = shard;
    return shard;
  }

  @Override
  public boolean tryAddCall(Reason reason) {
    if (reason != Reason.BEST_SCORE && reason != Reason.ONLY_COPY) {
      isRemarkable = true;
    }
    if (calls == MAX_RECORDED) {
      omittedCalls++;
      return false;
    }
    calls++;
    return true;
  }

  /** Indices were left out of a search. Any thread. */
  public synchronized void prunedIndices(List<PrunedIndexRecord> more) {
    List<PrunedIndexRecord> all = new ArrayList<>(prunedIndices);
    all.addAll(more.subList(0, Math.min(more.size(), Math.max(0, MAX_RECORDED - all.size()))));
    prunedIndices = List.copyOf(all);
    omittedIndices += more.size();
  }

  /** These were asked after all. Any thread. */
  public synchronized void removePruned(List<PrunedIndexRecord> these) {
    List<PrunedIndexRecord> all = new ArrayList<>(prunedIndices);
    all.removeAll(these);
    prunedIndices = List.copyOf(all);
    omittedIndices -= these.size();
  }

  /** Indices that were left out of its searches; of more than are kept only the first. */
  List<PrunedIndexRecord> prunedIndices() {
    return prunedIndices;
  }

  /** How many more there were. */
  synchronized int omittedPrunedIndices() {
    return Math.max(0, omittedIndices - prunedIndices.size());
  }

  @Override
  public void markRemarkable() {
    isRemarkable = true;
  }

  /** Whether a copy was late, failed, or was asked to learn about it. */
  boolean isRemarkable() {
    return isRemarkable;
  }

  @Override
  public long nanoTime() {
    return recording.nanoTime().getAsLong();
  }

  long id() {
    return identity.number();
  }

  String opaqueId() {
    return identity.opaqueId();
  }

  RecentRejections.RequestIdentity identity() {
    return identity;
  }

  String action() {
    return action;
  }

  /** When it began, on the clock on the wall. */
  long startedMillis() {
    return startedMillis;
  }

  /** When it began, on the clock of the calls' times. */
  long startedNanos() {
    return startedNanos;
  }

  /** Its shards in the order in which their copies were put in order. */
  List<ShardRoutingDecision> shards() {
    List<ShardRoutingDecision> shards = new ArrayList<>();
    for (ShardRoutingDecision one = newestShard; one != null; one = one.previous()) {
      shards.add(one);
    }
    return shards.reversed();
  }

  /** How many more shards there were. */
  int omittedShards() {
    return omittedShards;
  }

  /** How many more calls there were. */
  int omittedCalls() {
    return omittedCalls;
  }

  @Override
  public String toJson() {
    return RoutingDecisionHeaderWriter.toJson(toMap());
  }

  /** As maps to be shown as JSON, as it is now. */
  Map<String, Object> toMap() {
    return new RoutingDecisionFormatter(this, recording.nodeNames().get(), nanoTime()).toMap();
  }
}
