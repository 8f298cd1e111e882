package dev.weir.node.compression;

import java.io.IOException;
import org.opensearch.common.inject.Inject;
import org.opensearch.common.lifecycle.AbstractLifecycleComponent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.transport.RequestHandlerRegistry;
import org.opensearch.transport.Transport;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/**
 * Has the node read requests whose payload is compressed. OpenSearch has no extension for this:
 * {@code TransportInterceptor} gets requests that are read already. So this replaces the registered
 * handlers by such that read differently, and do everything else as before. It does so once, when
 * all are registered and before the node listens.
 */
public final class CompressedRequestReaders extends AbstractLifecycleComponent {
  private final TransportService service;
  private final Transport transport;
  private final CompressionInterceptor interceptor;
  private final CircuitBreaker breaker;

  /** Makes the component; OpenSearch does, when the node has made all others. */
  @Inject
  public CompressedRequestReaders(
      TransportService service,
      Transport transport,
      CompressionInterceptor interceptor,
      CircuitBreakerService breakers) {
    this.service = service;
    this.transport = transport;
    this.interceptor = interceptor;
    this.breaker = breakers.getBreaker(CircuitBreaker.IN_FLIGHT_REQUESTS);
  }

  @Override
  protected void doStart() {
    interceptor.actions().forEach(this::replace);
  }

  private <T extends TransportRequest> void replace(String action) {
    RequestHandlerRegistry<T> before = transport.getRequestHandlers().getHandler(action);
    if (before != null) {
      CompressedRequestReader<T> reader =
          new CompressedRequestReader<>(
              action,
              before::newRequest,
              before.canTripCircuitBreaker(),
              breaker,
              interceptor::markRequest);
      transport
          .getRequestHandlers()
          .forceRegister(
              new RequestHandlerRegistry<>(
                  action,
                  reader,
                  service.getTaskManager(),
                  before.getHandler(),
                  before.getExecutor(),
                  before.isForceExecution(),
                  before.canTripCircuitBreaker()));
    }
  }

  @Override
  protected void doStop() {}

  @Override
  protected void doClose() throws IOException {}
}
