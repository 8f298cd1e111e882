package dev.weir.gateway.network;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.config.policy.ClientCertificatesPolicy;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.CompressionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.SlowClientsPolicy;
import dev.weir.http.identity.CertificateIdentityExtractor;
import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpCompression;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpSecurity;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.http.proxy.ProxyOptions;
import dev.weir.model.IpNetworks;
import dev.weir.model.RequestTracer;
import dev.weir.protocol.EventLoops;
import java.io.IOException;
import java.util.function.Supplier;

/** Converts the policy's HTTP settings to the options of module {@code http}. */
public final class HttpOptionsFactory {
  private HttpOptionsFactory() {}

  /**
   * The options of the server for clients.
   *
   * @param serverVersion the current value of {@code X-OpenSearch-Version}; empty for none
   * @param traces decides which requests are traced
   * @param tls loads certificates
   */
  public static HttpOptions serverOptions(
      GatewayPolicy whole,
      Supplier<String> serverVersion,
      RequestTracer traces,
      TlsContextFactory tls)
      throws IOException {
    HttpPolicy policy = whole.http();
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
        new HttpSecurity(
            tls.serverContext(policy), identityRules(policy), policy.proxyProtocolEnabled()),
        serverVersion,
        traces,
        clientLimits(policy, whole.admission().maxTotalResponseBytes().bytes()));
  }

  private static IdentityHeaderRules identityRules(HttpPolicy policy) {
    ClientCertificatesPolicy certificates = policy.clientCertificates();
    return new IdentityHeaderRules(
        IpNetworks.of(policy.trustedProxies()),
        policy.identityHeaders(),
        certificates.isPassedOn()
            ? new CertificateIdentityExtractor(
                certificates.userAttribute(),
                certificates.rolesAttribute(),
                certificates.userHeader(),
                certificates.rolesHeader())
            : null);
  }

  private static ClientLimits clientLimits(HttpPolicy policy, long maxHeldResponseBytes) {
    SlowClientsPolicy slow = policy.slowClients();
    return new ClientLimits(
        policy.maxAddressRatio(),
        slow.minBodyRate().bytes(),
        slow.bodyTimeout(),
        Math.toIntExact(slow.maxGatheredBytes().bytes()),
        slow.minResponseRate().bytes(),
        slow.responseTimeout(),
        maxHeldResponseBytes);
  }

  private static HttpCompression compression(CompressionPolicy policy) {
    return new HttpCompression(
        policy.enabled(),
        policy.gzipLevel(),
        policy.zstdEnabled(),
        policy.zstdLevel(),
        policy.minBodyBytes().bytes());
  }

  /**
   * The options of the connections to a cluster's REST ports.
   *
   * @param maxAddressRatio the part of them that one client may use
   * @param loops among which the connections are divided
   */
  public static ProxyOptions proxyOptions(
      ClusterPolicy policy, double maxAddressRatio, EventLoops loops) {
    ProxyOptions standard = ProxyOptions.standard();
    return new ProxyOptions(
        policy.connectTimeout(),
        standard.responseTimeout(),
        standard.stallTimeout(),
        standard.idleTimeout(),
        policy.restConnections().maxConnectionsPerLoop(),
        policy.restConnections().maxPending(),
        maxAddressRatio,
        ActionClassifier::isRepeatableRead,
        () -> (double) loops.size() / loops.loopsInUse());
  }
}
