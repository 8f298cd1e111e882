package dev.weir.http.options;

import dev.weir.model.RequestTracer;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param tls null for plain HTTP; else a server's context that offers {@code h2} and {@code
 *     http/1.1} by ALPN
 * @param serverVersion returns the current value of {@code X-OpenSearch-Version}, such as {@code
 *     OpenSearch/3.8.0 (opensearch)}; empty for no such header. Called on event loops
 * @param traces decides which requests are traced
 * @param clients what one client may take from the others
 */
public record HttpOptions(
    HttpLimits limits,
    HttpTimeouts timeouts,
    HttpCompression compression,
    @Nullable SslContext tls,
    Supplier<String> serverVersion,
    RequestTracer traces,
    ClientLimits clients) {

  /** Creates options without traces, with standard limits of clients. */
  public HttpOptions(
      HttpLimits limits,
      HttpTimeouts timeouts,
      HttpCompression compression,
      @Nullable SslContext tls,
      Supplier<String> serverVersion) {
    this(
        limits,
        timeouts,
        compression,
        tls,
        serverVersion,
        RequestTracer.NONE,
        ClientLimits.standard());
  }

  /** Creates options for plain HTTP with a node's default limits. */
  public static HttpOptions standard(String serverVersion) {
    return new HttpOptions(
        HttpLimits.standard(),
        HttpTimeouts.standard(),
        HttpCompression.standard(),
        null,
        () -> serverVersion);
  }
}
