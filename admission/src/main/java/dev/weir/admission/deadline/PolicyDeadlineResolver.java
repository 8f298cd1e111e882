package dev.weir.admission.deadline;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.config.policy.DeadlinePolicy;
import dev.weir.model.Deadline;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import java.util.Map;

/**
 * Determines requests' deadlines from their headers and policies, counted from a request's first
 * byte. Safe on any thread.
 */
public final class PolicyDeadlineResolver implements DeadlineResolver {
  private final RequestPolicy.Section<DeadlinePolicy> section;

  public PolicyDeadlineResolver(PolicySectionRegistry<DeadlinePolicy> sections) {
    section = sections.register((name, says, before) -> says);
  }

  /**
   * Returns whether the shards of a policy's searches get a timeout shortly before the deadline, so
   * that the response is partial instead of an error.
   */
  public boolean isPartialResultsAllowed(RequestPolicy policy) {
    return policy.get(section).allowPartialResults();
  }

  private static String describeSource(RequestPolicy policy) {
    return policy.name().isEmpty()
        ? "admission.deadline"
        : "policies." + policy.name() + ".deadline";
  }

  @Override
  public Deadline resolveRequested(HttpExchange exchange) {
    RequestPolicy policy = exchange.policy();
    DeadlinePolicy rules = policy.get(section);
    Deadline earliest = Deadline.NONE;
    if (!rules.timeoutHeader().isEmpty()) {
      for (Map.Entry<String, String> header : exchange.headers()) {
        if (header.getKey().equalsIgnoreCase(rules.timeoutHeader())) {
          earliest =
              earliest.earlierOf(
                  resolveHeader(rules, policy, header.getValue(), exchange.arrivedNanos()));
        }
      }
    }
    return earliest;
  }

  private Deadline resolveHeader(
      DeadlinePolicy rules, RequestPolicy policy, String value, long arrivedNanos) {
    Duration length = TimeoutHeaderParser.parse(rules.timeoutHeader(), value);
    Duration maxTimeout = rules.maxTimeout();
    return maxTimeout.isZero() || length.compareTo(maxTimeout) <= 0
        ? Deadline.after(arrivedNanos, length, "header " + rules.timeoutHeader())
        : Deadline.after(
            arrivedNanos,
            maxTimeout,
            describeSource(policy)
                + ".max-timeout, as header "
                + rules.timeoutHeader()
                + " asks for more");
  }

  @Override
  public Deadline resolveDefault(HttpExchange exchange, boolean write) {
    RequestPolicy policy = exchange.policy();
    return !write && isScroll(exchange.uri())
        ? Deadline.NONE
        : defaultDeadline(policy.get(section), policy, write, exchange.arrivedNanos());
  }

  /**
   * Returns whether a request starts or continues a scroll, which loses a page when it is cut off.
   */
  private static boolean isScroll(String uri) {
    if (!uri.contains("scroll")) {
      return false;
    }
    int query = uri.indexOf('?');
    int path = uri.indexOf("/_search/scroll");
    return (path >= 0 && (query < 0 || path < query))
        || (query >= 0
            && (uri.startsWith("scroll=", query + 1) || uri.indexOf("&scroll=", query) >= 0));
  }

  private Deadline defaultDeadline(
      DeadlinePolicy rules, RequestPolicy policy, boolean write, long arrivedNanos) {
    Duration length = write ? rules.defaultWriteTimeout() : rules.defaultReadTimeout();
    if (length.isZero()) {
      return Deadline.NONE;
    }
    return Deadline.after(
        arrivedNanos,
        length,
        describeSource(policy) + (write ? ".default-write-timeout" : ".default-read-timeout"));
  }

  /**
   * Returns the deadline of a request by its headers, before the body has arrived; {@link
   * Deadline#NONE} without a deadline, or with an unreadable timeout header, which the request is
   * rejected for later.
   */
  public Deadline resolve(RequestHead head, RequestPolicy policy) {
    try {
      return resolveReadable(head, policy);
    } catch (IllegalArgumentException unreadable) {
      return Deadline.NONE;
    }
  }

  /**
   * Returns the deadline of a request by its headers.
   *
   * @throws IllegalArgumentException for an unreadable timeout header
   */
  public Deadline resolveReadable(RequestHead head, RequestPolicy policy) {
    DeadlinePolicy rules = policy.get(section);
    Deadline earliest = Deadline.NONE;
    if (!rules.timeoutHeader().isEmpty()) {
      for (String value : head.headers(rules.timeoutHeader())) {
        earliest = earliest.earlierOf(resolveHeader(rules, policy, value, head.arrivedNanos()));
      }
    }
    if (earliest.isSet()) {
      return earliest;
    }
    boolean write = isWrite(head);
    return !write && isScroll(head.uri())
        ? Deadline.NONE
        : defaultDeadline(rules, policy, write, head.arrivedNanos());
  }

  private static boolean isWrite(RequestHead head) {
    return ActionClassifier.mayChangeDocuments(head.method(), head.uri());
  }
}
