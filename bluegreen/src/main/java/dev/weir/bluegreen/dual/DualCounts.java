package dev.weir.bluegreen.dual;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what became of repeated writes, a cluster at a time. Safe on any thread. */
public final class DualCounts {
  /** Types of failures that are told apart; further ones count as {@link #OTHERS}. */
  private static final int MOST_TYPES = 32;

  private static final String OTHERS = "others";

  private final Map<String, Target> targets = new ConcurrentHashMap<>();

  /**
   * How often something came about.
   *
   * @param to the cluster that was written to second
   * @param what an outcome's label, or a type of failures
   */
  public record Count(String to, String what, long count) {}

  private static final class Target {
    final LongAdder[] outcomes = new LongAdder[Outcome.values().length];
    final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    final LongAdder logged = new LongAdder();
    final LongAdder unlogged = new LongAdder();

    Target() {
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = new LongAdder();
      }
    }
  }

  private Target target(String to) {
    Target known = targets.get(to);
    return known == null ? targets.computeIfAbsent(to, name -> new Target()) : known;
  }

  void count(String to, Outcome outcome) {
    target(to).outcomes[outcome.ordinal()].increment();
  }

  void failed(String to, String type) {
    Target target = target(to);
    target.outcomes[Outcome.FAILED.ordinal()].increment();
    boolean room = target.failures.containsKey(type) || target.failures.size() < MOST_TYPES;
    target.failures.computeIfAbsent(room ? type : OTHERS, name -> new LongAdder()).increment();
  }

  void logged(String to, int entries) {
    target(to).logged.add(entries);
  }

  void unlogged(String to, int entries) {
    target(to).unlogged.add(entries);
  }

  /** How often each outcome came about. */
  public List<Count> outcomes() {
    List<Count> all = new ArrayList<>();
    for (String to : names()) {
      for (Outcome outcome : Outcome.values()) {
        all.add(new Count(to, outcome.label(), of(to, outcome)));
      }
    }
    return all;
  }

  /** How often one outcome came about. */
  public long of(String to, Outcome outcome) {
    return target(to).outcomes[outcome.ordinal()].sum();
  }

  /** Failures by the types of their exceptions, as clients see these. */
  public List<Count> failures() {
    List<Count> all = new ArrayList<>();
    for (String to : names()) {
      new TreeMap<>(target(to).failures)
          .forEach((type, count) -> all.add(new Count(to, type, count.sum())));
    }
    return all;
  }

  /** Entries of the repair log that are on disk. */
  public long logged(String to) {
    return target(to).logged.sum();
  }

  /** Entries that the repair log did not take: what they tell of is lost to a repair. */
  public long unlogged(String to) {
    return target(to).unlogged.sum();
  }

  /** The clusters that something is counted for, sorted. */
  public Collection<String> names() {
    return targets.keySet().stream().sorted().toList();
  }
}
