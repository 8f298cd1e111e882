package dev.weir.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The policies that hold at one time. Immutable.
 *
 * @param standard of requests that no route names another one for
 * @param named the others, by their names
 */
public record RequestPolicies(RequestPolicy standard, Map<String, RequestPolicy> named) {
  /** Keeps a copy. */
  public RequestPolicies {
    named = Map.copyOf(named);
  }

  /** All of them, the one without a name first, then by their names. */
  public List<RequestPolicy> all() {
    return Stream.concat(
            Stream.of(standard),
            named.values().stream().sorted(Comparator.comparing(RequestPolicy::name)))
        .toList();
  }
}
