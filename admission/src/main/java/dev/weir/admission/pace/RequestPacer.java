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

/** Applies the rate limits in force. Safe on any thread; never blocks. */
public final class RequestPacer {
  private final LongSupplier nanoClock;
  private final LongAdder delayedRequests = new LongAdder();
  private volatile List<ActivePacingRule> rules = List.of();

  /**
   * A rule's counters since the gateway started.
   *
   * @param rule its name
   * @param dryRun whether it only counts
   * @param passed requests that passed at once
   * @param delayed requests that it delayed
   * @param delayNanos the sum of the delays
   * @param rejected requests that it rejected
   * @param dryRunPassed requests that it would have passed
   * @param dryRunDelayed requests that it would have delayed
   * @param dryRunRejected requests that it would have rejected
   * @param keys tenants, indices or addresses with buckets of their own now
   * @param sharedKeys how often a key had to share buckets
   */
  public record RuleStats(
      String rule,
      boolean dryRun,
      long passed,
      long delayed,
      long delayNanos,
      long rejected,
      long dryRunPassed,
      long dryRunDelayed,
      long dryRunRejected,
      int keys,
      long sharedKeys) {}

  /**
   * Creates a pacer.
   *
   * @param nanoClock monotonic, such as {@link System#nanoTime()}
   */
  public RequestPacer(PacingPolicy policy, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    updatePolicy(policy);
  }

  /**
   * Applies another policy. A rule with the same name, rates and keys keeps its buckets. Requests
   * in progress keep the rules under which they started.
   */
  public synchronized void updatePolicy(PacingPolicy policy) {
    Map<String, ActivePacingRule> before = new HashMap<>();
    rules.forEach(rule -> before.put(rule.policy().name(), rule));
    rules =
        policy.rules().stream()
            .map(rule ->
                ActivePacingRule.create(rule, policy.maxKeys(), before.get(rule.name()), nanoClock))
            .toList();
  }

  /** Returns whether there is no rule, so that {@link #start} is not needed. */
  public boolean hasNoRules() {
    return rules.isEmpty();
  }

  /** Returns the number of requests delayed now. */
  public long delayedRequests() {
    return delayedRequests.sum();
  }

  /**
   * Applies the rules to a request. The caller calls {@link PacedRequest#end} once when the request
   * has ended.
   *
   * @param deadline a request that would be delayed past it is rejected at once
   * @return null if no rule matches
   */
  public @Nullable PacedRequest start(RequestHead head, String tenant, Deadline deadline) {
    List<TokenReservation> binding = null;
    List<TokenReservation> dry = null;
    for (ActivePacingRule rule : rules) {
      if (rule.matches(head, tenant)) {
        TokenReservation claim =
            TokenReservation.create(rule, rule.resolveKeys(head, tenant), head.contentLength());
        if (rule.policy().dryRun()) {
          dry = append(dry, claim);
        } else {
          binding = append(binding, claim);
        }
      }
    }
    return binding == null && dry == null
        ? null
        : new PacedRequest(
            binding == null ? List.of() : binding,
            dry == null ? List.of() : dry,
            head.contentLength() >= 0,
            deadline,
            nanoClock,
            delayedRequests);
  }

  private static List<TokenReservation> append(
      @Nullable List<TokenReservation> claims, TokenReservation one) {
    List<TokenReservation> all = claims == null ? new ArrayList<>(2) : claims;
    all.add(one);
    return all;
  }

  /** Returns the counters of every rule. */
  public List<RuleStats> ruleStats() {
    return rules.stream().map(RequestPacer::toStats).toList();
  }

  private static RuleStats toStats(ActivePacingRule rule) {
    ActivePacingRule.Counters done = rule.counters();
    return new RuleStats(
        rule.policy().name(),
        rule.policy().dryRun(),
        done.passed.sum(),
        done.delayed.sum(),
        done.delayNanos.sum(),
        done.rejected.sum(),
        done.dryRunPassed.sum(),
        done.dryRunDelayed.sum(),
        done.dryRunRejected.sum(),
        rule.keyBuckets().size(),
        rule.keyBuckets().sharedKeys());
  }
}
