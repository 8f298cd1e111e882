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
 * The routing decisions of one request: the candidate copies, their scores, and the calls. It
 * stores a bounded number of values, and builds text only on demand. Written on the request's event
 * loop, read on any thread.
 */
public final class RequestRoutingDecisions implements RoutingDecisions, RoutingCallLog {
  /**
   * The largest number of stored copies, and of stored calls; beyond that only the number is
   * counted.
   */
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

  // written only on the request's event loop; readers on other threads may see an older number
  private int copies;
  private int calls;
  private int omittedShards;
  private int omittedCalls;

  /**
   * The sample of a search's shards that was queried to estimate the whole result.
   *
   * @param seed determines the sample
   */
  record ShardSample(int shards, int totalShards, long seed) {}

  /**
   * Creates an empty record.
   *
   * @param selector ranks the copies
   * @param identity the identity of the request
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

  /** Starts to rank shards for calls of this type. */
  public CopyScorer newScorer(NodeCallType work) {
    return new CopyScorer(this, selector, work);
  }

  /**
   * Records that a sample of the shards is queried.
   *
   * @param of the number of all shards
   */
  public void recordSample(int shards, int of, long seed) {
    sampled = new ShardSample(shards, of, seed);
  }

  /** Returns the queried sample of the shards; null for all shards. */
  @Nullable ShardSample sampled() {
    return sampled;
  }

  /** Counts a shard with this many copies; returns whether to store it. */
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

  /** Records indices that a search pruned. Safe on any thread. */
  public synchronized void recordPrunedIndices(List<PrunedIndexRecord> more) {
    List<PrunedIndexRecord> all = new ArrayList<>(prunedIndices);
    all.addAll(more.subList(0, Math.min(more.size(), Math.max(0, MAX_RECORDED - all.size()))));
    prunedIndices = List.copyOf(all);
    omittedIndices += more.size();
  }

  /** Removes indices that were searched after all. Safe on any thread. */
  public synchronized void removePruned(List<PrunedIndexRecord> these) {
    List<PrunedIndexRecord> all = new ArrayList<>(prunedIndices);
    all.removeAll(these);
    prunedIndices = List.copyOf(all);
    omittedIndices -= these.size();
  }

  /** Returns the pruned indices, up to the stored number. */
  List<PrunedIndexRecord> prunedIndices() {
    return prunedIndices;
  }

  /** Returns how many further indices were pruned. */
  synchronized int omittedPrunedIndices() {
    return Math.max(0, omittedIndices - prunedIndices.size());
  }

  @Override
  public void markRemarkable() {
    isRemarkable = true;
  }

  /** Returns whether a copy was late, failed, or was probed. */
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

  /** Returns the start by the wall clock. */
  long startedMillis() {
    return startedMillis;
  }

  /** Returns the start by the clock of the calls. */
  long startedNanos() {
    return startedNanos;
  }

  /** Returns the shards in the order in which they were ranked. */
  List<ShardRoutingDecision> shards() {
    List<ShardRoutingDecision> shards = new ArrayList<>();
    for (ShardRoutingDecision one = newestShard; one != null; one = one.previous()) {
      shards.add(one);
    }
    return shards.reversed();
  }

  /** Returns how many further shards there were. */
  int omittedShards() {
    return omittedShards;
  }

  /** Returns how many further calls there were. */
  int omittedCalls() {
    return omittedCalls;
  }

  @Override
  public String toJson() {
    return RoutingDecisionHeaderWriter.toJson(toMap());
  }

  /** Returns the current state as maps for JSON. */
  Map<String, Object> toMap() {
    return new RoutingDecisionFormatter(this, recording.nodeNames().get(), nanoTime()).toMap();
  }
}
