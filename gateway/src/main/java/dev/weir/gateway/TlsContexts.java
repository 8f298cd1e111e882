package dev.weir.gateway;

import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import dev.weir.protocol.TransportTls;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads certificates and keys, once, when the gateway starts. */
final class TlsContexts {
  private TlsContexts() {}

  /** For connections from clients; null when they are not encrypted. */
  static @Nullable SslContext ofClients(TlsServerPolicy policy) throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      return SslContextBuilder.forServer(
              readable(policy.certificate()), readable(policy.key()), orNull(policy.keyPassword()))
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
      throw unusable("http.tls", e);
    }
  }

  /** For connections to nodes' REST ports; null when they are not encrypted. */
  static @Nullable SslContext ofRest(TlsClientPolicy policy) throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      SslContextBuilder builder = SslContextBuilder.forClient();
      if (!policy.certificate().isEmpty()) {
        builder.keyManager(
            readable(policy.certificate()), readable(policy.key()), orNull(policy.keyPassword()));
      }
      if (!policy.trust().isEmpty()) {
        builder.trustManager(readable(policy.trust()));
      }
      return builder
          .endpointIdentificationAlgorithm(policy.verifyHostname() ? "HTTPS" : null)
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw unusable("rest-tls", e);
    }
  }

  /** For transport connections to nodes; null when they are not encrypted. */
  static @Nullable TransportTls ofTransport(TlsClientPolicy policy) throws IOException {
    if (!policy.enabled()) {
      return null;
    }
    try {
      return TransportTls.ofPem(
          fileOrNull(policy.certificate()),
          fileOrNull(policy.key()),
          orNull(policy.keyPassword()),
          fileOrNull(policy.trust()),
          policy.verifyHostname());
    } catch (IOException | IllegalArgumentException e) {
      throw unusable("transport-tls", e);
    }
  }

  private static IOException unusable(String section, Exception cause) {
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
