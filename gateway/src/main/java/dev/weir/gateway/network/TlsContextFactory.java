package dev.weir.gateway.network;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.ClientCertificatesPolicy;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import dev.weir.gateway.network.CertificateFiles.Identity;
import dev.weir.gateway.network.ReloadableTlsContext.Loaded;
import dev.weir.protocol.TransportTlsOptions;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates TLS contexts that follow their certificate files. All of them speak TLS 1.2 and 1.3 with
 * ciphers that HTTP/2 permits: forward secrecy and authenticated encryption. Safe on any thread.
 *
 * @param watcher checks the files for changes
 */
public record TlsContextFactory(CertificateWatcher watcher) {
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  /**
   * The JDK reads this once, before the first handshake: a client of TLS 1.2 must not start one
   * handshake after another on a connection.
   */
  private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

  /**
   * BoringSSL where there is a build of it, the JDK elsewhere. Its contexts are freed by the
   * garbage collector: connections still use the ones that a new certificate replaces.
   */
  private static final SslProvider PROVIDER =
      OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;

  /** Netty presents certificates with other keys, such as Ed25519, with the JDK's TLS only. */
  private static final Set<String> COMMON_KEYS = Set.of("RSA", "EC");

  static {
    if (System.getProperty(REJECT_RENEGOTIATION) == null) {
      System.setProperty(REJECT_RENEGOTIATION, "true");
    }
  }

  /** For connections from clients; null when they are not encrypted. */
  @Nullable ReloadableTlsContext serverContext(HttpPolicy http) throws IOException {
    TlsServerPolicy tls = http.tls();
    if (!tls.enabled()) {
      return null;
    }
    ClientCertificatesPolicy clients = http.clientCertificates();
    ClientAuth asked =
        switch (clients.mode()) {
          case NONE -> ClientAuth.NONE;
          case OPTIONAL -> ClientAuth.OPTIONAL;
          case REQUIRED -> ClientAuth.REQUIRE;
        };
    return watcher.add(
        ReloadableTlsContext.load(
            "http.tls",
            List.of(
                tls.certificateFile(),
                tls.keyFile(),
                asked == ClientAuth.NONE ? "" : clients.caFile()),
            () -> {
              Identity own = identity(tls);
              SslContextBuilder builder =
                  server(own)
                      .applicationProtocolConfig(
                          new ApplicationProtocolConfig(
                              Protocol.ALPN,
                              SelectorFailureBehavior.NO_ADVERTISE,
                              SelectedListenerFailureBehavior.ACCEPT,
                              ApplicationProtocolNames.HTTP_2,
                              ApplicationProtocolNames.HTTP_1_1));
              if (asked != ClientAuth.NONE) {
                verifyClients(builder, clients.caFile(), clients.caPassword(), asked);
              }
              return loaded(builder, own);
            }));
  }

  /**
   * For connections of operators; null when they are not encrypted. A client certificate is
   * verified if the client presents one.
   */
  public @Nullable ReloadableTlsContext adminContext(AdminPolicy policy) throws IOException {
    TlsServerPolicy tls = policy.tls();
    if (!tls.enabled()) {
      return null;
    }
    return watcher.add(
        ReloadableTlsContext.load(
            "admin.tls",
            List.of(tls.certificateFile(), tls.keyFile(), policy.clientCaFile()),
            () -> {
              Identity own = identity(tls);
              SslContextBuilder builder = server(own);
              if (!policy.clientCaFile().isEmpty()) {
                verifyClients(builder, policy.clientCaFile(), "", ClientAuth.OPTIONAL);
              }
              return loaded(builder, own);
            }));
  }

  /**
   * For connections to nodes' REST ports; null when they are not encrypted.
   *
   * @param cluster its name in the configuration
   */
  public @Nullable ReloadableTlsContext restClientContext(String cluster, TlsClientPolicy policy)
      throws IOException {
    return policy.enabled()
        ? clientContext(
            "clusters." + cluster + ".rest-tls", policy, policy.verifyHostname() ? "HTTPS" : null)
        : null;
  }

  /**
   * For transport connections to nodes; null when they are not encrypted.
   *
   * @param cluster its name in the configuration
   */
  public @Nullable TransportTlsOptions transportTls(String cluster, TlsClientPolicy policy)
      throws IOException {
    return policy.enabled()
        ? new TransportTlsOptions(
            clientContext("clusters." + cluster + ".transport-tls", policy, null),
            policy.verifyHostname())
        : null;
  }

  private ReloadableTlsContext clientContext(
      String section, TlsClientPolicy policy, @Nullable String identification) throws IOException {
    return watcher.add(
        ReloadableTlsContext.load(
            section,
            List.of(policy.certificateFile(), policy.keyFile(), policy.caFile()),
            () -> {
              Identity own =
                  policy.certificateFile().isEmpty()
                      ? null
                      : CertificateFiles.readIdentity(
                          policy.certificateFile(), policy.keyFile(), policy.keyPassword());
              SslContextBuilder builder = restricted(SslContextBuilder.forClient(), own);
              if (own != null) {
                builder.keyManager(own.key(), own.chainArray());
              }
              if (!policy.caFile().isEmpty()) {
                builder.trustManager(
                    CertificateFiles.readAuthorities(policy.caFile(), policy.caPassword()));
              }
              return loaded(builder.endpointIdentificationAlgorithm(identification), own);
            }));
  }

  private static Identity identity(TlsServerPolicy tls)
      throws IOException, GeneralSecurityException {
    return CertificateFiles.readIdentity(tls.certificateFile(), tls.keyFile(), tls.keyPassword());
  }

  private static SslContextBuilder server(Identity own) {
    return restricted(SslContextBuilder.forServer(own.key(), own.chainArray()), own);
  }

  private static SslContextBuilder restricted(SslContextBuilder builder, @Nullable Identity own) {
    return builder
        .sslProvider(
            own == null || COMMON_KEYS.contains(own.key().getAlgorithm())
                ? PROVIDER
                : SslProvider.JDK)
        .protocols(PROTOCOLS)
        .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
  }

  private static void verifyClients(
      SslContextBuilder builder, String authorities, String password, ClientAuth asked)
      throws IOException, GeneralSecurityException {
    builder.trustManager(CertificateFiles.readAuthorities(authorities, password)).clientAuth(asked);
  }

  private static Loaded loaded(SslContextBuilder builder, @Nullable Identity own)
      throws IOException {
    X509Certificate presented = own == null ? null : own.chain().getFirst();
    return new Loaded(builder.build(), presented);
  }
}
