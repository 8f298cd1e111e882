package dev.weir.gateway.app;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.Problem;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyTree;
import dev.weir.config.policy.RoutingPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that the gateway runs by, and what became of attempts to change it: the sections
 * {@code routing}, {@code bulk}, {@code search}, {@code responses} and {@code admission} (but for
 * its amounts of memory) take effect at once, all others at the next start. A policy that can't be
 * used changes nothing. Safe on any thread.
 */
final class PolicyInForce {
  private static final Logger LOGGER = LoggerFactory.getLogger(PolicyInForce.class);

  private final Consumer<RoutingPolicy> routing;
  private final Consumer<BulkPolicy> bulk;
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
   */
  record State(GatewayPolicy policy, List<String> problems, List<String> pending) {}

  /**
   * Begins with a policy.
   *
   * @param others hears of a policy for all that takes effect at once besides
   */
  PolicyInForce(
      GatewayPolicy policy,
      Consumer<RoutingPolicy> routing,
      Consumer<BulkPolicy> bulk,
      Consumer<AdmissionPolicy> admission,
      Consumer<GatewayPolicy> others) {
    this.others = others;
    this.bulk = bulk;
    this.admission = admission;
    this.state = new State(policy, List.of(), List.of());
    this.routing = routing;
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
    GatewayPolicy running = state.policy();
    switch (result) {
      case LoadResult.Refused(List<Problem> found) -> {
        List<String> problems = found.stream().map(Problem::render).toList();
        problems.forEach(problem -> LOGGER.error("the changed configuration: {}", problem));
        LOGGER.error("the changed configuration is not used; the one before stays in force");
        refused.increment();
        state = new State(running, problems, state.pending());
      }
      case LoadResult.Loaded(GatewayPolicy loaded) -> {
        GatewayPolicy next =
            new GatewayPolicy(
                running.clusters(),
                running.http(),
                running.admin(),
                loaded.routing(),
                loaded.bulk(),
                running.admission().reloaded(loaded.admission()),
                loaded.search(),
                loaded.responses(),
                running.observability());
        List<Change> changed = changes(running, next);
        List<Change> pending = changes(next, loaded);
        if (!changed.isEmpty()) {
          routing.accept(next.routing());
          bulk.accept(next.bulk());
          others.accept(next);
          if (!next.admission().equals(running.admission())) {
            admission.accept(next.admission());
          }
          LOGGER.info("the changed configuration is in force: {}", words(changed));
        }
        if (!pending.isEmpty()) {
          LOGGER.warn("changed, needs a restart: {}", words(pending));
        }
        if (changed.isEmpty() && pending.isEmpty()) {
          LOGGER.info("the configuration is as before");
        }
        applied.increment();
        state = new State(next, List.of(), pending.stream().map(Change::key).toList());
      }
    }
  }

  /** A key whose value differs; secrets are redacted. */
  private record Change(String key, @Nullable Object before, @Nullable Object after) {
    @Override
    public String toString() {
      return key + ": " + before + " -> " + after;
    }
  }

  private static String words(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }

  /** In what two policies differ. */
  private static List<Change> changes(GatewayPolicy one, GatewayPolicy other) {
    Map<String, Object> before = new LinkedHashMap<>();
    Map<String, Object> after = new LinkedHashMap<>();
    flatten("", PolicyTree.of(one), before);
    flatten("", PolicyTree.of(other), after);
    List<Change> shown =
        Stream.concat(before.keySet().stream(), after.keySet().stream())
            .distinct()
            .filter(key -> !Objects.equals(before.get(key), after.get(key)))
            .map(key -> new Change(key, before.get(key), after.get(key)))
            .toList();
    // two secrets look alike in a tree
    return shown.isEmpty() && !one.equals(other)
        ? List.of(new Change("a secret", "<redacted>", "<redacted>"))
        : shown;
  }

  private static void flatten(String path, Map<?, ?> tree, Map<String, Object> into) {
    tree.forEach((key, value) -> {
      String name = path.isEmpty() ? key.toString() : path + "." + key;
      if (value instanceof Map<?, ?> section) {
        flatten(name, section, into);
      } else {
        into.put(name, value);
      }
    });
  }
}
