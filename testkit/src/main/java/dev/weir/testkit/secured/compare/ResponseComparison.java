package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares the gateway's responses to single requests with a node's, and counts what came of it.
 *
 * <p>A node may respond to a read in several ways. It is then asked again, and the gateway's first
 * response must be one of the node's. A later response of the gateway never replaces the first: it
 * only tells in the report whether the fault is there each time. No response of the gateway may
 * have a value that the user may not see.
 *
 * <p>Thread-safe.
 */
final class ResponseComparison {
  /** How often a node is asked again for a response like the gateway's. */
  private static final int MAX_REPEATS = 30;

  private static final int MAX_RECORDED = 100;
  private static final int EXCERPT = 400;
  private static final int FIRST_FAILURE = 300;

  /** Nodes of 3.4 fail so if a search has aggregations and no shard a result; 3.8 does not. */
  private static final String FAILED_REDUCTION = "because \\\"reducePhase.aggregations\\\" is null";

  private final AtomicInteger different = new AtomicInteger();
  private final AtomicInteger unstable = new AtomicInteger();
  private final Map<String, Integer> statuses = Collections.synchronizedMap(new TreeMap<>());
  private final Map<String, Integer> permitted = Collections.synchronizedMap(new TreeMap<>());
  private final List<String> differences = Collections.synchronizedList(new ArrayList<>());
  private final List<String> leaks = Collections.synchronizedList(new ArrayList<>());

  /** Sends a request to both and compares their responses. Blocks. */
  void compare(ComparedRequest request, ComparedTarget node, ComparedTarget gateway) {
    List<RestReply> expected = new ArrayList<>();
    expected.add(node.send(request));
    count(request, expected.getFirst());
    RestReply got = gateway.send(request);
    checkLeak(request, got);
    boolean equal = isEqual(expected.getFirst(), node, got, gateway);
    for (int i = 0; !equal && request.repeatable() && i < MAX_REPEATS; i++) {
      expected.add(node.send(request));
      equal = isEqual(expected.getLast(), node, got, gateway);
    }
    if (!equal) {
      boolean rightLater =
          request.repeatable() && isRightAtSecondTime(request, expected, node, gateway);
      unstable.addAndGet(rightLater ? 1 : 0);
      if (different.incrementAndGet() <= MAX_RECORDED) {
        String wrong = node.comparable(expected.getLast());
        differences.add(
            "%s%s%n  node    %d %s%n  gateway %d %s"
                .formatted(
                    request,
                    rightLater ? " (right at the second time)" : "",
                    expected.getLast().status(),
                    difference(wrong, gateway.comparable(got)),
                    got.status(),
                    difference(gateway.comparable(got), wrong)));
      }
    }
  }

  private boolean isRightAtSecondTime(
      ComparedRequest request,
      List<RestReply> expected,
      ComparedTarget node,
      ComparedTarget gateway) {
    RestReply second = gateway.send(request);
    checkLeak(request, second);
    return expected.stream().anyMatch(reply -> isEqual(reply, node, second, gateway));
  }

  private void count(ComparedRequest request, RestReply expected) {
    statuses.merge(request.identity() + " " + expected.status(), 1, Integer::sum);
    if (expected.status() < FIRST_FAILURE) {
      permitted.merge(request.endpoint(), 1, Integer::sum);
    }
  }

  private static boolean isEqual(
      RestReply expected, ComparedTarget node, RestReply got, ComparedTarget gateway) {
    return expected.body().contains(FAILED_REDUCTION)
        || (expected.status() == got.status()
            && node.comparable(expected).equals(gateway.comparable(got)));
  }

  /** Returns a text from shortly before the first character in which it differs from another. */
  private static String difference(String text, String other) {
    int at = 0;
    int common = Math.min(text.length(), other.length());
    while (at < common && text.charAt(at) == other.charAt(at)) {
      at++;
    }
    int start = Math.max(0, at - EXCERPT / 4);
    return text.substring(start, Math.min(text.length(), start + EXCERPT)).replace("\n", "\\n");
  }

  private void checkLeak(ComparedRequest request, RestReply got) {
    String customer = ComparisonOrders.CUSTOMER;
    if (request.identity().isWithoutCustomers()
        && got.body().contains(customer)
        && !request.body().contains(customer)
        && !request.path().contains(customer)
        && leaks.size() < MAX_RECORDED) {
      leaks.add(request + ": " + got.body().substring(got.body().indexOf(customer)));
    }
  }

  /** Returns the number of requests whose responses differ. */
  int different() {
    return different.get();
  }

  /**
   * Returns what came of all requests.
   *
   * @param requests their number
   */
  SecuredComparisonReport report(long seed, int requests) {
    return new SecuredComparisonReport(
        seed, requests, statuses, permitted, different(), unstable.get(), differences, leaks);
  }
}
