package dev.weir.testkit.mutation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of mutated requests.
 *
 * @param seed repeats the run
 * @param requests number of requests to each side
 * @param nodeStatuses the node's responses by status
 * @param refused requests that the gateway refused with 429 or 503 and the node did not
 * @param differences requests whose status classes differ, with both answers
 * @param slow requests that took either side long
 */
public record MutationReport(
    long seed,
    int requests,
    Map<Integer, Integer> nodeStatuses,
    List<String> refused,
    List<String> differences,
    List<String> slow) {
  public MutationReport {
    nodeStatuses = Map.copyOf(nodeStatuses);
    refused = List.copyOf(refused);
    differences = List.copyOf(differences);
    slow = List.copyOf(slow);
  }

  @Override
  public String toString() {
    return "seed %d: %d requests, the node's statuses %s, %d refused, %d of another class, %d slow%n%s"
        .formatted(
            seed,
            requests,
            new TreeMap<>(nodeStatuses),
            refused.size(),
            differences.size(),
            slow.size(),
            String.join(System.lineSeparator(), differences));
  }
}
