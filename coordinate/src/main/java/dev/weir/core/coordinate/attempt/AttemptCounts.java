package dev.weir.core.coordinate.attempt;

import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.ShardRoutingRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts the attempts at shard copies in one cluster by reason and outcome. Safe on any thread. */
public final class AttemptCounts {
  static final String BUDGET_EXHAUSTED = "budget-exhausted";

  private static final ShardRoutingRecorder.Reason[] REASONS = ShardRoutingRecorder.Reason.values();

  /** By node id, in the order of the reasons. */
  private final Map<String, LongAdder[]> attempts = new ConcurrentHashMap<>();

  private final Map<String, LongAdder> hedges = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> retries = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> restarts = new ConcurrentHashMap<>();

  /**
   * One count.
   *
   * @param nodeId empty where the count is not about a node
   */
  public record Count(String nodeId, String reason, long count) {}

  AttemptCounts() {
    for (AttemptPolicy.HedgeOutcome end : AttemptPolicy.HedgeOutcome.values()) {
      hedges.put(DisplayFormat.toKebabCase(end), new LongAdder());
    }
  }

  void recordAttempt(String nodeId, ShardRoutingRecorder.Reason why) {
    LongAdder[] known = attempts.get(nodeId);
    LongAdder[] byReason =
        known != null ? known : attempts.computeIfAbsent(nodeId, id -> newAdders());
    byReason[why.ordinal()].increment();
  }

  private static LongAdder[] newAdders() {
    return Stream.generate(LongAdder::new).limit(REASONS.length).toArray(LongAdder[]::new);
  }

  void recordHedgeOutcome(AttemptPolicy.HedgeOutcome how) {
    hedges.computeIfAbsent(DisplayFormat.toKebabCase(how), h -> new LongAdder()).increment();
  }

  void recordRetry(String reason) {
    retries.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  void recordRestart(String reason) {
    restarts.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  /** Forgets the counts of all nodes that are not named. */
  public void retainNodes(Set<String> nodeIds) {
    attempts.keySet().retainAll(nodeIds);
  }

  /** Attempts by node and reason, where there were any. */
  public List<Count> attemptsByNodeAndReason() {
    List<Count> counts = new ArrayList<>();
    attempts.forEach((nodeId, byReason) -> {
      for (ShardRoutingRecorder.Reason reason : REASONS) {
        long count = byReason[reason.ordinal()].sum();
        if (count > 0) {
          counts.add(new Count(nodeId, DisplayFormat.toKebabCase(reason), count));
        }
      }
    });
    return counts;
  }

  /** Hedged requests by outcome. */
  public List<Count> hedgesByOutcome() {
    return counts(hedges);
  }

  /** Failures by kind, and whether the next copy was tried. */
  public List<Count> retriesByReason() {
    return counts(retries);
  }

  /** Lost nodes by kind, and whether the search started over. */
  public List<Count> restartsByReason() {
    return counts(restarts);
  }

  private static List<Count> counts(Map<String, LongAdder> adders) {
    List<Count> counts = new ArrayList<>();
    adders.forEach((reason, count) -> counts.add(new Count("", reason, count.sum())));
    return counts;
  }
}
