package dev.weir.bluegreen.dual;

import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy.FailureMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of dual writes by target cluster. Safe on any thread. */
public final class DualWriteCounts {
  /** The maximum of distinct failure types; further types count as {@link #OTHER}. */
  private static final int MAX_FAILURE_TYPES = 32;

  private static final String OTHER = "others";

  private final Map<String, TargetCounts> targets = new ConcurrentHashMap<>();

  /**
   * A count with its labels.
   *
   * @param cluster the target cluster
   * @param label an outcome or a failure type
   */
  public record Count(String cluster, String label, long count) {}

  private static final class TargetCounts {
    final LongAdder[] outcomes = new LongAdder[DualWriteOutcome.values().length];
    final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    final LongAdder logged = new LongAdder();
    final LongAdder unlogged = new LongAdder();
    final LongAdder intentsRecorded = new LongAdder();
    final LongAdder[] intentFailures = new LongAdder[FailureMode.values().length];
    final LongAdder intentsRecovered = new LongAdder();

    TargetCounts() {
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = new LongAdder();
      }
      for (int i = 0; i < intentFailures.length; i++) {
        intentFailures[i] = new LongAdder();
      }
    }
  }

  private TargetCounts countsOf(String to) {
    TargetCounts known = targets.get(to);
    return known == null ? targets.computeIfAbsent(to, name -> new TargetCounts()) : known;
  }

  void count(String to, DualWriteOutcome outcome) {
    countsOf(to).outcomes[outcome.ordinal()].increment();
  }

  void failed(String to, String type) {
    TargetCounts target = countsOf(to);
    target.outcomes[DualWriteOutcome.FAILED.ordinal()].increment();
    boolean known = target.failures.containsKey(type) || target.failures.size() < MAX_FAILURE_TYPES;
    target.failures.computeIfAbsent(known ? type : OTHER, name -> new LongAdder()).increment();
  }

  void logged(String to, int entries) {
    countsOf(to).logged.add(entries);
  }

  void unlogged(String to, int entries) {
    countsOf(to).unlogged.add(entries);
  }

  void intentRecorded(String to) {
    countsOf(to).intentsRecorded.increment();
  }

  void intentFailed(String to, FailureMode mode) {
    countsOf(to).intentFailures[mode.ordinal()].increment();
  }

  void intentRecovered(String to) {
    countsOf(to).intentsRecovered.increment();
  }

  /** Requests that the intent log took before they left. */
  public long intentsRecorded(String to) {
    return countsOf(to).intentsRecorded.sum();
  }

  /** Requests that the intent log did not take, by what became of them. */
  public List<Count> intentFailures() {
    List<Count> all = new ArrayList<>();
    for (String to : clusterNames()) {
      for (FailureMode mode : FailureMode.values()) {
        String label = mode == FailureMode.REJECT ? "rejected" : "continued";
        all.add(new Count(to, label, countsOf(to).intentFailures[mode.ordinal()].sum()));
      }
    }
    return all;
  }

  /** Writes that ended gateways left under way; they are in the repair log. */
  public long intentsRecovered(String to) {
    return countsOf(to).intentsRecovered.sum();
  }

  /** Counts by outcome. */
  public List<Count> outcomes() {
    List<Count> all = new ArrayList<>();
    for (String to : clusterNames()) {
      for (DualWriteOutcome outcome : DualWriteOutcome.values()) {
        all.add(new Count(to, outcome.label(), countOf(to, outcome)));
      }
    }
    return all;
  }

  /** The count of one outcome. */
  public long countOf(String to, DualWriteOutcome outcome) {
    return countsOf(to).outcomes[outcome.ordinal()].sum();
  }

  /** Failures by exception type, as in responses to clients. */
  public List<Count> failures() {
    List<Count> all = new ArrayList<>();
    for (String to : clusterNames()) {
      new TreeMap<>(countsOf(to).failures)
          .forEach((type, count) -> all.add(new Count(to, type, count.sum())));
    }
    return all;
  }

  /** Entries of the repair log on disk. */
  public long logged(String to) {
    return countsOf(to).logged.sum();
  }

  /** Entries that the repair log lost; a repair will miss them. */
  public long unlogged(String to) {
    return countsOf(to).unlogged.sum();
  }

  /** The clusters with counts, sorted. */
  public Collection<String> clusterNames() {
    return targets.keySet().stream().sorted().toList();
  }
}
