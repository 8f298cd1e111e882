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
  private final RequestPolicy.Section<DeadlineRules> section;

  public PolicyDeadlineResolver(PolicySectionRegistry<DeadlinePolicy> sections) {
    section = sections.register((name, settings, previous) -> DeadlineRules.of(name, settings));
  }

  /**
   * A policy's settings.
   *
   * @param source how deadlines name the settings
   * @param read the default of reads
   * @param write the default of writes
   */
  private record DeadlineRules(
      DeadlinePolicy settings, String source, DefaultTimeout read, DefaultTimeout write) {
    static DeadlineRules of(String policyName, DeadlinePolicy settings) {
      String source =
          policyName.isEmpty() ? "admission.deadline" : "policies." + policyName + ".deadline";
      return new DeadlineRules(
          settings,
          source,
          new DefaultTimeout(settings.defaultReadTimeout(), source + ".default-read-timeout"),
          new DefaultTimeout(settings.defaultWriteTimeout(), source + ".default-write-timeout"));
    }

    Deadline defaultDeadline(boolean isWrite, long arrivedNanos) {
      DefaultTimeout timeout = isWrite ? write : read;
      return timeout.length().isZero()
          ? Deadline.NONE
          : Deadline.after(arrivedNanos, timeout.length(), timeout.source());
    }
  }

  private record DefaultTimeout(Duration length, String source) {}

  /**
   * Returns whether the shards of a policy's searches get a timeout shortly before the deadline, so
   * that the response is partial instead of an error.
   */
  public boolean isPartialResultsAllowed(RequestPolicy policy) {
    return policy.get(section).settings().allowPartialResults();
  }

  @Override
  public Deadline resolveRequested(HttpExchange exchange) {
    DeadlineRules rules = exchange.policy().get(section);
    String timeoutHeader = rules.settings().timeoutHeader();
    Deadline earliest = Deadline.NONE;
    if (!timeoutHeader.isEmpty()) {
      for (Map.Entry<String, String> header : exchange.headers()) {
        if (header.getKey().equalsIgnoreCase(timeoutHeader)) {
          earliest =
              earliest.earlierOf(resolveHeader(rules, header.getValue(), exchange.arrivedNanos()));
        }
      }
    }
    return earliest;
  }

  private static Deadline resolveHeader(DeadlineRules rules, String value, long arrivedNanos) {
    String timeoutHeader = rules.settings().timeoutHeader();
    Duration length = TimeoutHeaderParser.parse(timeoutHeader, value);
    Duration maxTimeout = rules.settings().maxTimeout();
    return maxTimeout.isZero() || length.compareTo(maxTimeout) <= 0
        ? Deadline.after(arrivedNanos, length, "header " + timeoutHeader)
        : Deadline.after(
            arrivedNanos,
            maxTimeout,
            rules.source() + ".max-timeout, as header " + timeoutHeader + " asks for more");
  }

  @Override
  public Deadline resolveDefault(HttpExchange exchange, boolean write) {
    return !write && isScroll(exchange.uri())
        ? Deadline.NONE
        : exchange.policy().get(section).defaultDeadline(write, exchange.arrivedNanos());
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
            && (uri.startsWith("scroll=", query + 1)
                || uri.indexOf("&scroll=", query) >= 0
                || uri.indexOf(";scroll=", query) >= 0));
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
    DeadlineRules rules = policy.get(section);
    String timeoutHeader = rules.settings().timeoutHeader();
    Deadline earliest = Deadline.NONE;
    if (!timeoutHeader.isEmpty()) {
      for (String value : head.headers(timeoutHeader)) {
        earliest = earliest.earlierOf(resolveHeader(rules, value, head.arrivedNanos()));
      }
    }
    if (earliest.isSet()) {
      return earliest;
    }
    boolean write = isWrite(head);
    return !write && isScroll(head.uri())
        ? Deadline.NONE
        : rules.defaultDeadline(write, head.arrivedNanos());
  }

  private static boolean isWrite(RequestHead head) {
    return ActionClassifier.mayChangeDocuments(head.method(), head.uri());
  }
}
