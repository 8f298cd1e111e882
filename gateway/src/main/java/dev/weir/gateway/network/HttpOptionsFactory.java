package dev.weir.gateway.network;

import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.CompressionPolicy;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.http.proxy.ProxyOptions;
import dev.weir.model.RequestTracer;
import java.io.IOException;
import java.util.function.Supplier;

/** What the policy says of HTTP, in the words of the http room. */
public final class HttpOptionsFactory {
  private HttpOptionsFactory() {}

  /**
   * What clients meet.
   *
   * @param serverVersion what {@code X-OpenSearch-Version} says now; empty for none
   * @param traces decides which requests are recorded
   */
  public static HttpOptions serverOptions(
      HttpPolicy policy, Supplier<String> serverVersion, RequestTracer traces) throws IOException {
    HttpLimits limits = HttpLimits.standard();
    HttpTimeouts timeouts = HttpTimeouts.standard();
    return new HttpOptions(
        new HttpLimits(
            limits.maxRequestLineBytes(),
            limits.maxHeaderBytes(),
            Math.toIntExact(policy.maxBodyBytes().bytes()),
            limits.maxRequestsPerConnection(),
            policy.maxConnections()),
        new HttpTimeouts(
            timeouts.headers(), timeouts.body(), timeouts.write(), policy.idleTimeout()),
        compression(policy.compression()),
        TlsContextFactory.serverContext(policy.tls()),
        serverVersion,
        traces);
  }

  private static HttpCompression compression(CompressionPolicy policy) {
    return new HttpCompression(
        policy.enabled(),
        policy.gzipLevel(),
        policy.zstdEnabled(),
        policy.zstdLevel(),
        policy.minBodyBytes().bytes());
  }

  public static ProxyOptions proxyOptions(ClusterPolicy policy) {
    ProxyOptions standard = ProxyOptions.standard();
    return new ProxyOptions(
        policy.connectTimeout(),
        standard.responseTimeout(),
        standard.stallTimeout(),
        standard.idleTimeout(),
        policy.restConnections().maxConnectionsPerLoop(),
        policy.restConnections().maxPending());
  }
}
