package dev.weir.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The policies that hold at one time. Immutable.
 *
 * @param defaultPolicy of requests that no route names another one for
 * @param namedPolicies the others, by their names
 */
public record RequestPolicies(
    RequestPolicy defaultPolicy, Map<String, RequestPolicy> namedPolicies) {
  /** Keeps a copy. */
  public RequestPolicies {
    namedPolicies = Map.copyOf(namedPolicies);
  }

  /** All of them, the one without a name first, then by their names. */
  public List<RequestPolicy> all() {
    return Stream.concat(
            Stream.of(defaultPolicy),
            namedPolicies.values().stream().sorted(Comparator.comparing(RequestPolicy::name)))
        .toList();
  }
}
