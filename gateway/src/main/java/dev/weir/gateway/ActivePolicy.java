package dev.weir.gateway;

import dev.weir.config.load.ConfigurationProblem;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyDiff;
import dev.weir.config.policy.PolicyDiff.Change;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that the gateway runs by, and what became of attempts to change it: keys that are
 * {@link dev.weir.config.policy.Dynamic} take effect at once, all others at the next start. A
 * policy that can't be used changes nothing. Safe on any thread.
 */
final class ActivePolicy {
  private static final Logger LOGGER = LoggerFactory.getLogger(ActivePolicy.class);

  private final Consumer<AdmissionPolicy> admissionListener;
  private final Consumer<GatewayPolicy> otherListener;
  private final LongAdder appliedCount = new LongAdder();
  private final LongAdder refusedCount = new LongAdder();
  private volatile State state;

  /**
   * How it stands.
   *
   * @param policy what the gateway runs by
   * @param problems why the newest policy was refused; empty when it was not
   * @param restartKeys keys that differ in the newest policy and need a restart
   * @param overriddenKeys keys whose values came from files and are not shown
   */
  record State(
      GatewayPolicy policy,
      List<String> problems,
      List<String> restartKeys,
      Set<String> overriddenKeys) {}

  /**
   * Begins with a policy.
   *
   * @param admission hears of another policy by which requests are let in
   * @param others hears of a policy for all that takes effect at once besides
   */
  ActivePolicy(
      LoadResult.Loaded first,
      Consumer<AdmissionPolicy> admission,
      Consumer<GatewayPolicy> others) {
    this.otherListener = others;
    this.admissionListener = admission;
    this.state = new State(first.policy(), List.of(), List.of(), first.fileReferences().keys());
  }

  State state() {
    return state;
  }

  /** How many policies took effect. */
  long appliedCount() {
    return appliedCount.sum();
  }

  /** How many policies could not be used. */
  long refusedCount() {
    return refusedCount.sum();
  }

  /** Takes what came of reading a changed policy. */
  synchronized void reload(LoadResult result) {
    switch (result) {
      case LoadResult.Invalid(List<ConfigurationProblem> found, _) -> refuse(found);
      case LoadResult.Loaded loaded -> applyLoaded(loaded);
    }
  }

  private void refuse(List<ConfigurationProblem> found) {
    List<String> problems = found.stream().map(ConfigurationProblem::render).toList();
    problems.forEach(problem -> LOGGER.error("the changed configuration: {}", problem));
    LOGGER.error("the changed configuration is not used; the one before stays in force");
    refusedCount.increment();
    State running = state;
    state = new State(running.policy(), problems, running.restartKeys(), running.overriddenKeys());
  }

  private void applyLoaded(LoadResult.Loaded loaded) {
    GatewayPolicy running = state.policy();
    GatewayPolicy next = PolicyDiff.applyReload(running, loaded.policy());
    // what ran by a file's value goes on not to be shown, also where the new policy says it openly
    Set<String> hidden = new HashSet<>(loaded.fileReferences().keys());
    hidden.addAll(state.overriddenKeys());
    List<Change> changed = PolicyDiff.compare(running, next, hidden);
    List<Change> pending = PolicyDiff.compare(next, loaded.policy(), hidden);
    if (!changed.isEmpty()) {
      apply(running, next);
      LOGGER.info("the changed configuration is in force: {}", describe(changed));
    }
    if (!pending.isEmpty()) {
      LOGGER.warn("changed, needs a restart: {}", describe(pending));
    }
    if (changed.isEmpty() && pending.isEmpty()) {
      LOGGER.info("the configuration is as before");
    }
    appliedCount.increment();
    state =
        new State(
            next,
            List.of(),
            pending.stream().map(Change::key).toList(),
            pending.isEmpty() ? loaded.fileReferences().keys() : Set.copyOf(hidden));
  }

  private void apply(GatewayPolicy running, GatewayPolicy next) {
    otherListener.accept(next);
    if (!next.admission().equals(running.admission())) {
      admissionListener.accept(next.admission());
    }
  }

  private static String describe(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }
}
