package dev.weir.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The policies in force. Immutable.
 *
 * @param defaultPolicy the policy of requests whose route names none
 * @param namedPolicies the other policies by name
 */
public record RequestPolicies(
    RequestPolicy defaultPolicy, Map<String, RequestPolicy> namedPolicies) {
  public RequestPolicies {
    namedPolicies = Map.copyOf(namedPolicies);
  }

  /** Returns all policies: the default policy, then the others by name. */
  public List<RequestPolicy> all() {
    return Stream.concat(
            Stream.of(defaultPolicy),
            namedPolicies.values().stream().sorted(Comparator.comparing(RequestPolicy::name)))
        .toList();
  }
}
