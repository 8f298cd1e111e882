package dev.weir.admission.deadline;

import dev.weir.admission.head.Actions;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.Deadlines;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import java.util.Map;

/**
 * The deadlines of requests by their policies, counted from a request's first byte. Safe on any
 * thread.
 */
public final class RequestDeadlines implements Deadlines {
  private final RequestPolicy.Section<DeadlinePolicy> section;

  /** Makes them by what policies say of them. */
  public RequestDeadlines(PolicySections<DeadlinePolicy> sections) {
    section = sections.add((name, says, before) -> says);
  }

  /** Whether shards of a policy's searches get a timeout a little before a deadline. */
  public boolean partialResults(RequestPolicy policy) {
    return policy.of(section).partialResults();
  }

  private static String words(RequestPolicy policy) {
    return policy.name().isEmpty()
        ? "admission.deadline"
        : "policies." + policy.name() + ".deadline";
  }

  @Override
  public Deadline asked(HttpExchange exchange) {
    RequestPolicy policy = exchange.policy();
    DeadlinePolicy rules = policy.of(section);
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

  private Deadline asked(
      DeadlinePolicy rules, RequestPolicy policy, String value, long arrivedNanos) {
    Duration length = WrittenTime.read(rules.header(), value);
    Duration most = rules.maxTimeout();
    return most.isZero() || length.compareTo(most) <= 0
        ? Deadline.after(arrivedNanos, length, "header " + rules.header())
        : Deadline.after(
            arrivedNanos,
            most,
            words(policy) + ".max-timeout, as header " + rules.header() + " asks for more");
  }

  @Override
  public Deadline standard(HttpExchange exchange, boolean write) {
    RequestPolicy policy = exchange.policy();
    return standard(policy.of(section), policy, write, exchange.arrivedNanos());
  }

  private Deadline standard(
      DeadlinePolicy rules, RequestPolicy policy, boolean write, long arrivedNanos) {
    Duration length = write ? rules.defaultWriteTimeout() : rules.defaultTimeout();
    if (length.isZero()) {
      return Deadline.NONE;
    }
    return Deadline.after(
        arrivedNanos,
        length,
        words(policy) + (write ? ".default-write-timeout" : ".default-timeout"));
  }

  /**
   * The deadline that a request of which only the head has come is going to have; {@link
   * Deadline#NONE} where it will have none, or will be refused because what it asks for can't be
   * read.
   *
   * @param policy that it goes by
   */
  public Deadline of(RequestHead head, RequestPolicy policy) {
    DeadlinePolicy rules = policy.of(section);
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
