package dev.weir.admission.deadline;

import dev.weir.admission.head.Actions;
import dev.weir.config.policy.ByPolicy;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.Deadlines;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHead;
import java.time.Duration;
import java.util.Map;

/**
 * The deadlines of requests by the policy in force, counted from a request's first byte. Safe on
 * any thread.
 */
public final class RequestDeadlines implements Deadlines {
  private volatile ByPolicy<DeadlinePolicy> policies;

  /** Makes them by policies. */
  public RequestDeadlines(ByPolicy<DeadlinePolicy> policies) {
    this.policies = policies;
  }

  /** Goes by others from now on: requests that come after this. */
  public void use(ByPolicy<DeadlinePolicy> changed) {
    policies = changed;
  }

  /**
   * Whether shards get a timeout a little before a deadline.
   *
   * @param policy that the request goes by; empty for none
   */
  public boolean partialResults(String policy) {
    return policies.of(policy).partialResults();
  }

  /** The name of the section that holds. */
  private String section(String policy) {
    return !policies.named().containsKey(policy)
        ? "admission.deadline"
        : "policies." + policy + ".deadline";
  }

  @Override
  public Deadline asked(HttpExchange exchange) {
    String policy = exchange.policy();
    DeadlinePolicy rules = policies.of(policy);
    Deadline earliest = Deadline.NONE;
    if (!rules.header().isEmpty()) {
      for (Map.Entry<String, String> header : exchange.headers()) {
        if (header.getKey().equalsIgnoreCase(rules.header())) {
          earliest =
              earliest.earlier(asked(rules, policy, header.getValue(), exchange.arrivedNanos()));
        }
      }
    }
    return earliest;
  }

  private Deadline asked(DeadlinePolicy rules, String policy, String value, long arrivedNanos) {
    Duration length = WrittenTime.read(rules.header(), value);
    Duration most = rules.maxTimeout();
    return most.isZero() || length.compareTo(most) <= 0
        ? Deadline.after(arrivedNanos, length, "header " + rules.header())
        : Deadline.after(
            arrivedNanos,
            most,
            section(policy) + ".max-timeout, as header " + rules.header() + " asks for more");
  }

  @Override
  public Deadline standard(HttpExchange exchange, boolean write) {
    String policy = exchange.policy();
    return standard(policies.of(policy), policy, write, exchange.arrivedNanos());
  }

  private Deadline standard(DeadlinePolicy rules, String policy, boolean write, long arrivedNanos) {
    Duration length = write ? rules.defaultWriteTimeout() : rules.defaultTimeout();
    if (length.isZero()) {
      return Deadline.NONE;
    }
    return Deadline.after(
        arrivedNanos,
        length,
        section(policy) + (write ? ".default-write-timeout" : ".default-timeout"));
  }

  /**
   * The deadline that a request of which only the head has come is going to have; {@link
   * Deadline#NONE} where it will have none, or will be refused because what it asks for can't be
   * read.
   *
   * @param policy that it goes by; empty for the one without a name
   */
  public Deadline of(RequestHead head, String policy) {
    DeadlinePolicy rules = policies.of(policy);
    Deadline earliest = Deadline.NONE;
    try {
      if (!rules.header().isEmpty()) {
        for (String value : head.headers(rules.header())) {
          earliest = earliest.earlier(asked(rules, policy, value, head.arrivedNanos()));
        }
      }
    } catch (IllegalArgumentException unreadable) {
      return Deadline.NONE;
    }
    return earliest.exists()
        ? earliest
        : standard(rules, policy, isWrite(head), head.arrivedNanos());
  }

  private static boolean isWrite(RequestHead head) {
    return switch (Actions.of(head.method(), head.uri())) {
      case BULK, WRITE -> true;
      case SEARCH, GET, OTHER -> false;
    };
  }
}
