package dev.weir.core.coordinate;

import dev.weir.model.ShardNotes;
import dev.weir.model.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How often which copies were asked in a cluster, and why. Safe on any thread. */
public final class TailCounts {
  static final String OUT_OF_BUDGET = "refused-by-budget";

  private final Map<Choice, LongAdder> choices = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> hedges = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> retries = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> restarts = new ConcurrentHashMap<>();

  private record Choice(String nodeId, ShardNotes.Why reason) {}

  /**
   * How often something happened.
   *
   * @param nodeId empty where it was on no node in particular
   */
  public record Count(String nodeId, String reason, long count) {}

  TailCounts() {
    for (Tail.End end : Tail.End.values()) {
      hedges.put(Shown.word(end), new LongAdder());
    }
  }

  void chose(String nodeId, ShardNotes.Why why) {
    choices.computeIfAbsent(new Choice(nodeId, why), c -> new LongAdder()).increment();
  }

  void ended(Tail.End how) {
    hedges.computeIfAbsent(Shown.word(how), h -> new LongAdder()).increment();
  }

  void retried(String reason) {
    retries.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  void restarted(String reason) {
    restarts.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  /** Forgets the counts of nodes that are not named. */
  public void retainOnly(Set<String> nodeIds) {
    choices.keySet().removeIf(choice -> !nodeIds.contains(choice.nodeId()));
  }

  /** How often which node was asked, and why. */
  public List<Count> choices() {
    List<Count> counts = new ArrayList<>();
    choices.forEach((choice, count) ->
        counts.add(new Count(choice.nodeId(), Shown.word(choice.reason()), count.sum())));
    return counts;
  }

  /** What became of second requests. */
  public List<Count> hedgesByOutcome() {
    return counts(hedges);
  }

  /** After which failures the next copy was asked, or was not. */
  public List<Count> retriesByReason() {
    return counts(retries);
  }

  /** After which losses searches started over, or did not. */
  public List<Count> restartsByReason() {
    return counts(restarts);
  }

  private static List<Count> counts(Map<String, LongAdder> adders) {
    List<Count> counts = new ArrayList<>();
    adders.forEach((reason, count) -> counts.add(new Count("", reason, count.sum())));
    return counts;
  }
}
