package dev.weir.config.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a section says for the requests of each policy, and for all others. Immutable.
 *
 * @param standard for those without a policy
 * @param named by the policies' names
 */
public record ByPolicy<T>(T standard, Map<String, T> named) {
  /** Keeps a copy. */
  public ByPolicy {
    named = Map.copyOf(named);
  }

  /** The same for all requests. */
  public static <T> ByPolicy<T> all(T standard) {
    return new ByPolicy<>(standard, Map.of());
  }

  /** What holds for a request. */
  public T of(String policy) {
    return policy.isEmpty() ? standard : named.getOrDefault(policy, standard);
  }

  /** All that there is. */
  public Stream<T> values() {
    return Stream.concat(Stream.of(standard), named.values().stream());
  }

  /** The same made into something else. */
  public <R> ByPolicy<R> map(Function<T, R> made) {
    Map<String, R> others = new LinkedHashMap<>();
    named.forEach((name, value) -> others.put(name, made.apply(value)));
    return new ByPolicy<>(made.apply(standard), others);
  }
}
