package dev.weir.admission.deadline;

import dev.weir.admission.head.Actions;
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
    Deadline earliest = Deadline.NONE;
    if (!rules.header().isEmpty()) {
      for (Map.Entry<String, String> header : exchange.headers()) {
        if (header.getKey().equalsIgnoreCase(rules.header())) {
          earliest = earliest.earlier(asked(rules, header.getValue(), exchange.arrivedNanos()));
        }
      }
    }
    return earliest;
  }

  private static Deadline asked(DeadlinePolicy rules, String value, long arrivedNanos) {
    Duration length = WrittenTime.read(rules.header(), value);
    Duration most = rules.maxTimeout();
    return most.isZero() || length.compareTo(most) <= 0
        ? Deadline.after(arrivedNanos, length, "header " + rules.header())
        : Deadline.after(
            arrivedNanos,
            most,
            "admission.deadline.max-timeout, as header " + rules.header() + " asks for more");
  }

  @Override
  public Deadline standard(HttpExchange exchange, boolean write) {
    return standard(policy, write, exchange.arrivedNanos());
  }

  private static Deadline standard(DeadlinePolicy rules, boolean write, long arrivedNanos) {
    Duration length = write ? rules.defaultWriteTimeout() : rules.defaultTimeout();
    if (length.isZero()) {
      return Deadline.NONE;
    }
    return Deadline.after(
        arrivedNanos,
        length,
        write ? "admission.deadline.default-write-timeout" : "admission.deadline.default-timeout");
  }

  /**
   * The deadline that a request of which only the head has come is going to have; {@link
   * Deadline#NONE} where it will have none, or will be refused because what it asks for can't be
   * read.
   */
  public Deadline of(RequestHead head) {
    DeadlinePolicy rules = policy;
    Deadline earliest = Deadline.NONE;
    try {
      if (!rules.header().isEmpty()) {
        for (String value : head.headers(rules.header())) {
          earliest = earliest.earlier(asked(rules, value, head.arrivedNanos()));
        }
      }
    } catch (IllegalArgumentException unreadable) {
      return Deadline.NONE;
    }
    return earliest.exists() ? earliest : standard(rules, isWrite(head), head.arrivedNanos());
  }

  private static boolean isWrite(RequestHead head) {
    return switch (Actions.of(head.method(), head.uri())) {
      case BULK, WRITE -> true;
      case SEARCH, GET, OTHER -> false;
    };
  }
}
