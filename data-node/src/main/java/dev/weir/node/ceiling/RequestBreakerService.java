package dev.weir.node.ceiling;

import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.indices.breaker.AllCircuitBreakerStats;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.core.indices.breaker.CircuitBreakerStats;

/**
 * The node's circuit breakers, with a search's own account in place of the request breaker. Safe on
 * any thread.
 */
final class RequestBreakerService extends CircuitBreakerService {
  private final CircuitBreakerService node;
  private final RequestAccount account;

  RequestBreakerService(CircuitBreakerService node, RequestAccount account) {
    this.node = node;
    this.account = account;
  }

  @Override
  public CircuitBreaker getBreaker(String name) {
    return name.equals(CircuitBreaker.REQUEST) ? account : node.getBreaker(name);
  }

  @Override
  public AllCircuitBreakerStats stats() {
    return node.stats();
  }

  @Override
  public CircuitBreakerStats stats(String name) {
    return node.stats(name);
  }
}
