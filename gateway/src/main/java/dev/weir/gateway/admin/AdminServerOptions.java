package dev.weir.gateway.admin;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a port treats its connections.
 *
 * @param threadName of its event loop
 * @param maxConnections open at once; one more replaces the oldest that has no request
 * @param requestTimeout from the first byte of a request, or from the opening of the connection, to
 *     the last byte of the request
 * @param tls returns the context for the next connection; null for plain HTTP
 */
public record AdminServerOptions(
    String threadName,
    int maxConnections,
    Duration requestTimeout,
    @Nullable Supplier<SslContext> tls) {
  /** For the pages of operators. */
  public static AdminServerOptions forOperators(@Nullable Supplier<SslContext> tls) {
    return new AdminServerOptions("weir-admin", 256, Duration.ofSeconds(5), tls);
  }

  /** For health checks, which send a short request at once. */
  public static AdminServerOptions forHealthChecks() {
    return new AdminServerOptions("weir-health", 64, Duration.ofSeconds(2), null);
  }
}
