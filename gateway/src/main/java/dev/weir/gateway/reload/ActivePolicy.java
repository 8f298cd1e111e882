package dev.weir.gateway.reload;

import dev.weir.config.load.ConfigurationProblem;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyDiff;
import dev.weir.config.policy.PolicyDiff.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration in force, and the outcome of attempts to change it. Keys that are {@link
 * dev.weir.config.policy.Dynamic} take effect at once, all others at the next start.
 *
 * <p>A reload is all or nothing:
 *
 * <pre>
 *   invalid file -----------------------------------------> rejected, nothing changes
 *   valid file --> prepare every part --> commit every part --> state is replaced by one write
 *                        | fails               | fails
 *                        |                     +--> revert the committed parts, last one first
 *                        +--> nothing changes <-----+
 *                               `-> tried again after 1 s, 2 s, 4 s, ... 60 s until it succeeds
 *                                   or the file changes
 * </pre>
 *
 * Safe on any thread; reloads run one at a time.
 */
public final class ActivePolicy implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ActivePolicy.class);
  private static final Duration INITIAL_BACKOFF = Duration.ofSeconds(1);
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);

  private final List<ReloadablePart> parts;
  private final RetryTimer retryTimer;
  private final Consumer<String> outcomeListener;
  private final LongAdder appliedCount = new LongAdder();
  private final LongAdder rejectedCount = new LongAdder();
  private long reloads;
  private volatile State state;

  /** Runs an action after a delay, on a thread that may block. */
  @FunctionalInterface
  public interface RetryTimer {
    void schedule(Duration delay, Runnable action);
  }

  /**
   * A consistent snapshot.
   *
   * @param policy the configuration in force
   * @param problems why the newest configuration is not in force; empty when it is
   * @param restartKeys keys that differ in the newest configuration and need a restart
   * @param overriddenKeys keys with values from files, which are never shown
   */
  public record State(
      GatewayPolicy policy,
      List<String> problems,
      List<String> restartKeys,
      Set<String> overriddenKeys) {
    State withProblems(List<String> found) {
      return new State(policy, found, restartKeys, overriddenKeys);
    }
  }

  /**
   * Creates it with the configuration of the start.
   *
   * @param parts are prepared and committed in this order; those that requests see come last
   * @param retryTimer waits before a failed reload is tried again
   * @param outcomeListener gets the outcome of each reload in words; must not block
   */
  public ActivePolicy(
      LoadResult.Loaded first,
      List<ReloadablePart> parts,
      RetryTimer retryTimer,
      Consumer<String> outcomeListener) {
    this.parts = List.copyOf(parts);
    this.retryTimer = retryTimer;
    this.outcomeListener = outcomeListener;
    this.state = new State(first.policy(), List.of(), List.of(), first.fileReferences().keys());
  }

  public State state() {
    return state;
  }

  /** Configurations that took effect. */
  public long appliedCount() {
    return appliedCount.sum();
  }

  /** Configurations that were rejected, and attempts to apply one that failed. */
  public long rejectedCount() {
    return rejectedCount.sum();
  }

  /** Applies a changed configuration, or keeps the problems of an invalid one. */
  public synchronized void reload(LoadResult result) {
    reloads++; // a pending retry of an older file is obsolete
    switch (result) {
      case LoadResult.Invalid(List<ConfigurationProblem> found, _) -> reject(found);
      case LoadResult.Loaded loaded -> tryApply(loaded, INITIAL_BACKOFF);
    }
  }

  private void reject(List<ConfigurationProblem> found) {
    List<String> problems = found.stream().map(ConfigurationProblem::render).toList();
    problems.forEach(problem -> LOGGER.error("the changed configuration: {}", problem));
    LOGGER.error("the changed configuration is not used; the one before stays in force");
    rejectedCount.increment();
    state = state.withProblems(problems);
    outcomeListener.accept("configuration rejected: " + String.join("; ", problems));
  }

  private void tryApply(LoadResult.Loaded loaded, Duration backoff) {
    try {
      apply(loaded);
    } catch (RuntimeException | Error e) {
      rejectedCount.increment();
      LOGGER.error(
          "the changed configuration could not be applied; the previous one stays in force; the"
              + " gateway tries again in {}",
          backoff,
          e);
      state =
          state.withProblems(
              List.of(
                  "the changed configuration could not be applied: "
                      + e
                      + " (the previous one stays in force; the gateway tries again every "
                      + backoff.toSeconds()
                      + " s or less often)"));
      outcomeListener.accept("configuration could not be applied: " + e);
      long attempt = reloads;
      retryTimer.schedule(backoff, () -> retry(loaded, attempt, nextBackoff(backoff)));
    }
  }

  private synchronized void retry(LoadResult.Loaded loaded, long attempt, Duration backoff) {
    if (attempt == reloads) {
      tryApply(loaded, backoff);
    }
  }

  private static Duration nextBackoff(Duration backoff) {
    Duration doubled = backoff.multipliedBy(2);
    return doubled.compareTo(MAX_BACKOFF) < 0 ? doubled : MAX_BACKOFF;
  }

  private void apply(LoadResult.Loaded loaded) {
    GatewayPolicy running = state.policy();
    GatewayPolicy next = PolicyDiff.applyReload(running, loaded.policy());
    // a value that came from a file stays hidden while it is in force, even if the new
    // configuration states it openly
    Set<String> hidden = new HashSet<>(loaded.fileReferences().keys());
    hidden.addAll(state.overriddenKeys());
    List<Change> changed = PolicyDiff.compare(running, next, hidden);
    List<Change> pending = PolicyDiff.compare(next, loaded.policy(), hidden);
    State applied =
        new State(
            next,
            List.of(),
            pending.stream().map(Change::key).toList(),
            pending.isEmpty() ? loaded.fileReferences().keys() : Set.copyOf(hidden));
    if (!changed.isEmpty()) {
      commit(running, next);
    }
    state = applied;
    appliedCount.increment();
    log(changed, pending);
    outcomeListener.accept(describe(changed, pending));
  }

  private static String describe(List<Change> changed, List<Change> pending) {
    String applied = changed.isEmpty() ? "" : "configuration in force: " + describe(changed);
    String waiting = pending.isEmpty() ? "" : "needs a restart: " + describePending(pending);
    return applied.isEmpty() && waiting.isEmpty()
        ? "configuration as before"
        : applied + (applied.isEmpty() || waiting.isEmpty() ? "" : "; ") + waiting;
  }

  private void commit(GatewayPolicy running, GatewayPolicy next) {
    List<ReloadablePart.Change> prepared = new ArrayList<>(parts.size());
    for (ReloadablePart part : parts) {
      prepared.add(part.prepare(running, next));
    }
    ReloadablePart.Change change = ReloadablePart.combine(prepared);
    try {
      change.commit();
    } catch (RuntimeException | Error e) {
      try {
        change.revert();
      } catch (RuntimeException | Error alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private static void log(List<Change> changed, List<Change> pending) {
    if (!changed.isEmpty()) {
      LOGGER.info("the changed configuration is in force: {}", describe(changed));
    }
    if (!pending.isEmpty()) {
      LOGGER.warn("changed, needs a restart: {}", describePending(pending));
    }
    if (changed.isEmpty() && pending.isEmpty()) {
      LOGGER.info("the configuration is as before");
    }
  }

  private static String describePending(List<Change> pending) {
    return describe(pending)
        + (pending.stream().anyMatch(Change::concernsTraffic)
            ? " (POST /traffic/shift moves requests between running clusters at once)"
            : "");
  }

  private static String describe(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }

  /** Gives up a pending retry. */
  @Override
  public synchronized void close() {
    reloads++;
  }
}
