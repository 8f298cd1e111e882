package dev.weir.testkit.secured.compare;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outcome of a comparison.
 *
 * @param seed repeats the requests
 * @param requests number of requests to each endpoint
 * @param statuses the node's responses by identity and status, such as {@code AUDITOR 200}
 * @param permitted the node's responses without an error by endpoint, such as {@code _search}
 * @param different number of requests whose responses differ
 * @param unstable how many of them the gateway responded to like the node at the second time
 * @param differences the first of them, with both responses
 * @param leaks responses of the gateway with a value that the user may not see
 */
public record SecuredComparisonReport(
    long seed,
    int requests,
    Map<String, Integer> statuses,
    Map<String, Integer> permitted,
    int different,
    int unstable,
    List<String> differences,
    List<String> leaks) {
  public SecuredComparisonReport {
    statuses = Map.copyOf(statuses);
    permitted = Map.copyOf(permitted);
    differences = List.copyOf(differences);
    leaks = List.copyOf(leaks);
  }

  @Override
  public String toString() {
    return "seed %d: %d requests, %d differ, %d only once, %d leaks, node's statuses %s%n%s%n%s"
        .formatted(
            seed,
            requests,
            different,
            unstable,
            leaks.size(),
            new TreeMap<>(statuses),
            String.join(System.lineSeparator(), differences),
            String.join(System.lineSeparator(), leaks));
  }
}
