package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import dev.weir.model.Deadline;
import dev.weir.model.RequestHead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The limits in force. Safe on any thread; never blocks. */
public final class Pacer {
  private final LongSupplier nanoClock;
  private final LongAdder waiting = new LongAdder();
  private volatile List<PacedRule> rules = List.of();

  /**
   * What a rule did since the gateway started.
   *
   * @param rule its name
   * @param dryRun whether it only counts
   * @param passed requests that it let pass at once
   * @param delayed requests that it held back
   * @param delayNanos for how long, together
   * @param refused requests that it refused
   * @param dryPassed requests that it would have let pass
   * @param dryDelayed requests that it would have held back
   * @param dryRefused requests that it would have refused
   * @param keys tenants, indices or addresses that it counts by themselves now
   * @param shared how often there were too many of them, so that one had to share
   */
  public record Count(
      String rule,
      boolean dryRun,
      long passed,
      long delayed,
      long delayNanos,
      long refused,
      long dryPassed,
      long dryDelayed,
      long dryRefused,
      int keys,
      long shared) {}

  /**
   * Makes a pacer.
   *
   * @param nanoClock monotonic, such as {@link System#nanoTime()}
   */
  public Pacer(PacingPolicy policy, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    use(policy);
  }

  /**
   * Goes by another policy from now on. A rule of the same name, rates and keys goes on where it
   * was; requests on their way keep the rules that they met.
   */
  public synchronized void use(PacingPolicy policy) {
    Map<String, PacedRule> before = new HashMap<>();
    rules.forEach(rule -> before.put(rule.policy().name(), rule));
    rules =
        policy.rules().stream()
            .map(rule -> PacedRule.of(rule, policy.keys(), before.get(rule.name()), nanoClock))
            .toList();
  }

  /** Whether there is no rule: nobody needs to ask. */
  public boolean idle() {
    return rules.isEmpty();
  }

  /** Requests held back now. */
  public long waiting() {
    return waiting.sum();
  }

  /**
   * A request has come; {@link Turn#end} is called once when it is over.
   *
   * @param deadline past which it is not held back, but refused at once
   * @return null when it matches no rule
   */
  public @Nullable Turn turn(RequestHead head, String tenant, Deadline deadline) {
    List<Claim> binding = null;
    List<Claim> dry = null;
    for (PacedRule rule : rules) {
      if (rule.matches(head, tenant)) {
        Claim claim = Claim.of(rule, rule.keys(head, tenant), head.bodyBytes());
        if (rule.policy().dryRun()) {
          dry = with(dry, claim);
        } else {
          binding = with(binding, claim);
        }
      }
    }
    return binding == null && dry == null
        ? null
        : new Turn(
            binding == null ? List.of() : binding,
            dry == null ? List.of() : dry,
            head.bodyBytes() >= 0,
            deadline,
            nanoClock,
            waiting);
  }

  private static List<Claim> with(@Nullable List<Claim> claims, Claim one) {
    List<Claim> all = claims == null ? new ArrayList<>(2) : claims;
    all.add(one);
    return all;
  }

  /** What every rule did. */
  public List<Count> counts() {
    return rules.stream().map(Pacer::count).toList();
  }

  private static Count count(PacedRule rule) {
    PacedRule.Done done = rule.done();
    return new Count(
        rule.policy().name(),
        rule.policy().dryRun(),
        done.passed.sum(),
        done.delayed.sum(),
        done.delayNanos.sum(),
        done.refused.sum(),
        done.dryPassed.sum(),
        done.dryDelayed.sum(),
        done.dryRefused.sum(),
        rule.accounts().size(),
        rule.accounts().shared());
  }
}
