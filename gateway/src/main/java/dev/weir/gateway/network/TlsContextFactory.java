package dev.weir.gateway.network;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import dev.weir.protocol.TransportTlsOptions;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Creates TLS contexts from certificates and keys, which are read when the gateway starts. */
public final class TlsContextFactory {
  private TlsContextFactory() {}

  /** For connections from clients; null when they are not encrypted. */
  static @Nullable SslContext serverContext(TlsServerPolicy policy) throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      return SslContextBuilder.forServer(
              readable(policy.certificateFile()),
              readable(policy.keyFile()),
              orNull(policy.keyPassword()))
          .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
          .applicationProtocolConfig(
              new ApplicationProtocolConfig(
                  Protocol.ALPN,
                  SelectorFailureBehavior.NO_ADVERTISE,
                  SelectedListenerFailureBehavior.ACCEPT,
                  ApplicationProtocolNames.HTTP_2,
                  ApplicationProtocolNames.HTTP_1_1))
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw loadFailure("http.tls", e);
    }
  }

  /**
   * For connections of operators; null when they are not encrypted. A client certificate is
   * verified if the client presents one.
   */
  public static @Nullable SslContext adminContext(AdminPolicy policy) throws IOException {
    TlsServerPolicy tls = policy.tls();
    if (!tls.enabled()) {
      return null;
    }
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(
              readable(tls.certificateFile()), readable(tls.keyFile()), orNull(tls.keyPassword()));
      if (!policy.clientCaFile().isEmpty()) {
        builder.trustManager(readable(policy.clientCaFile())).clientAuth(ClientAuth.OPTIONAL);
      }
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw loadFailure("admin.tls", e);
    }
  }

  /** For connections to nodes' REST ports; null when they are not encrypted. */
  public static @Nullable SslContext restClientContext(TlsClientPolicy policy) throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      SslContextBuilder builder = SslContextBuilder.forClient();
      if (!policy.certificateFile().isEmpty()) {
        builder.keyManager(
            readable(policy.certificateFile()),
            readable(policy.keyFile()),
            orNull(policy.keyPassword()));
      }
      if (!policy.caFile().isEmpty()) {
        builder.trustManager(readable(policy.caFile()));
      }
      return builder
          .endpointIdentificationAlgorithm(policy.verifyHostname() ? "HTTPS" : null)
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw loadFailure("rest-tls", e);
    }
  }

  /** For transport connections to nodes; null when they are not encrypted. */
  public static @Nullable TransportTlsOptions transportTls(TlsClientPolicy policy)
      throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      return TransportTlsOptions.ofPem(
          fileOrNull(policy.certificateFile()),
          fileOrNull(policy.keyFile()),
          orNull(policy.keyPassword()),
          fileOrNull(policy.caFile()),
          policy.verifyHostname());
    } catch (IOException | IllegalArgumentException e) {
      throw loadFailure("transport-tls", e);
    }
  }

  private static IOException loadFailure(String section, Exception cause) {
    return new IOException(
        section + ": " + cause.getMessage() + " (expected: PEM files that belong together)", cause);
  }

  private static @Nullable File fileOrNull(String name) throws IOException {
    return name.isEmpty() ? null : readable(name);
  }

  private static File readable(String name) throws IOException {
    File file = new File(name);
    if (!file.canRead()) {
      throw new IOException(
          "got " + file.getAbsolutePath() + ", which can't be read (expected: a PEM file)");
    }
    return file;
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
