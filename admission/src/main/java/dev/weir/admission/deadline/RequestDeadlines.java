package dev.weir.admission.deadline;

import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.Deadlines;
import dev.weir.model.HttpExchange;
import java.time.Duration;
import java.util.Map;

/**
 * The deadlines of requests by the policy in force, counted from a request's first byte. Safe on
 * any thread.
 */
public final class RequestDeadlines implements Deadlines {
  private volatile DeadlinePolicy policy;

  /** Makes them by a policy. */
  public RequestDeadlines(DeadlinePolicy policy) {
    this.policy = policy;
  }

  /** Goes by another policy from now on: requests that come after this. */
  public void use(DeadlinePolicy changed) {
    policy = changed;
  }

  /** Whether shards get a timeout a little before a deadline. */
  public boolean partialResults() {
    return policy.partialResults();
  }

  @Override
  public Deadline asked(HttpExchange exchange) {
    DeadlinePolicy rules = policy;
    if (rules.header().isEmpty()) {
      return Deadline.NONE;
    }
    Deadline earliest = Deadline.NONE;
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase(rules.header())) {
        earliest = earliest.earlier(asked(exchange, rules, header.getValue()));
      }
    }
    return earliest;
  }

  private static Deadline asked(HttpExchange exchange, DeadlinePolicy rules, String value) {
    Duration length = WrittenTime.read(rules.header(), value);
    Duration most = rules.maxTimeout();
    return most.isZero() || length.compareTo(most) <= 0
        ? Deadline.after(exchange.arrivedNanos(), length, "header " + rules.header())
        : Deadline.after(
            exchange.arrivedNanos(),
            most,
            "admission.deadline.max-timeout, as header " + rules.header() + " asks for more");
  }

  @Override
  public Deadline standard(HttpExchange exchange, boolean write) {
    DeadlinePolicy rules = policy;
    Duration length = write ? rules.defaultWriteTimeout() : rules.defaultTimeout();
    if (length.isZero()) {
      return Deadline.NONE;
    }
    return Deadline.after(
        exchange.arrivedNanos(),
        length,
        write ? "admission.deadline.default-write-timeout" : "admission.deadline.default-timeout");
  }
}
