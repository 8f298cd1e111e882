package dev.weir.http.options;

import dev.weir.model.RequestTracer;
import java.util.function.Supplier;

/**
 * The configuration of a server.
 *
 * @param security encryption, and what the server believes about clients
 * @param serverVersion returns the current value of {@code X-OpenSearch-Version}, such as {@code
 *     OpenSearch/3.8.0 (opensearch)}; empty for no such header. Called on event loops
 * @param traces decides which requests are traced
 * @param clients what one client may take from the others
 */
public record HttpOptions(
    HttpLimits limits,
    HttpTimeouts timeouts,
    HttpCompression compression,
    HttpSecurity security,
    Supplier<String> serverVersion,
    RequestTracer traces,
    ClientLimits clients) {

  /** Creates options without traces, with standard limits of clients. */
  public HttpOptions(
      HttpLimits limits,
      HttpTimeouts timeouts,
      HttpCompression compression,
      HttpSecurity security,
      Supplier<String> serverVersion) {
    this(
        limits,
        timeouts,
        compression,
        security,
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
        HttpSecurity.PLAIN,
        () -> serverVersion);
  }
}
