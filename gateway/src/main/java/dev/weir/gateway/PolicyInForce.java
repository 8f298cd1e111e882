package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.Problem;
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
 * {@link dev.weir.config.policy.Live} take effect at once, all others at the next start. A policy
 * that can't be used changes nothing. Safe on any thread.
 */
final class PolicyInForce {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyInForce.class);

  private final Consumer<AdmissionPolicy> admission;
  private final Consumer<GatewayPolicy> others;
  private final LongAdder applied = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile State state;

  /**
   * How it stands.
   *
   * @param policy what the gateway runs by
   * @param problems why the newest policy was refused; empty when it was not
   * @param pending keys that differ in the newest policy and need a restart
   * @param hidden keys whose values came from files and are not shown
   */
  record State(
      GatewayPolicy policy, List<String> problems, List<String> pending, Set<String> hidden) {}

  /**
   * Begins with a policy.
   *
   * @param admission hears of another policy by which requests are let in
   * @param others hears of a policy for all that takes effect at once besides
   */
  PolicyInForce(
      LoadResult.Loaded first,
      Consumer<AdmissionPolicy> admission,
      Consumer<GatewayPolicy> others) {
    this.others = others;
    this.admission = admission;
    this.state = new State(first.policy(), List.of(), List.of(), first.fromFiles().keys());
  }

  State state() {
    return state;
  }

  /** How many policies took effect. */
  long applied() {
    return applied.sum();
  }

  /** How many policies could not be used. */
  long refused() {
    return refused.sum();
  }

  /** Takes what came of reading a changed policy. */
  synchronized void reload(LoadResult result) {
    switch (result) {
      case LoadResult.Refused(List<Problem> found, _) -> refuse(found);
      case LoadResult.Loaded loaded -> use(loaded);
    }
  }

  private void refuse(List<Problem> found) {
    List<String> problems = found.stream().map(Problem::render).toList();
    problems.forEach(problem -> LOGGER.error("the changed configuration: {}", problem));
    LOGGER.error("the changed configuration is not used; the one before stays in force");
    refused.increment();
    State running = state;
    state = new State(running.policy(), problems, running.pending(), running.hidden());
  }

  private void use(LoadResult.Loaded loaded) {
    GatewayPolicy running = state.policy();
    GatewayPolicy next = PolicyDiff.reloaded(running, loaded.policy());
    // what ran by a file's value goes on not to be shown, also where the new policy says it openly
    Set<String> hidden = new HashSet<>(loaded.fromFiles().keys());
    hidden.addAll(state.hidden());
    List<Change> changed = PolicyDiff.between(running, next, hidden);
    List<Change> pending = PolicyDiff.between(next, loaded.policy(), hidden);
    if (!changed.isEmpty()) {
      apply(running, next);
      LOGGER.info("the changed configuration is in force: {}", words(changed));
    }
    if (!pending.isEmpty()) {
      LOGGER.warn("changed, needs a restart: {}", words(pending));
    }
    if (changed.isEmpty() && pending.isEmpty()) {
      LOGGER.info("the configuration is as before");
    }
    applied.increment();
    state =
        new State(
            next,
            List.of(),
            pending.stream().map(Change::key).toList(),
            pending.isEmpty() ? loaded.fromFiles().keys() : Set.copyOf(hidden));
  }

  private void apply(GatewayPolicy running, GatewayPolicy next) {
    others.accept(next);
    if (!next.admission().equals(running.admission())) {
      admission.accept(next.admission());
    }
  }

  private static String words(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }
}
