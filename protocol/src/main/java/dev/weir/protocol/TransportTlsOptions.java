package dev.weir.protocol;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * How channels to nodes are encrypted.
 *
 * @param context gives the client's key, certificate and trust; asked for each connection, on an
 *     event loop, so that it may change while the gateway runs
 * @param verifyHostname whether a node's certificate must name the host that was connected to
 */
public record TransportTlsOptions(Supplier<SslContext> context, boolean verifyHostname) {
  /**
   * Encryption with files in PEM format, read now.
   *
   * @param certificate the client's certificate chain; null for none
   * @param key the client's PKCS#8 key; null for none
   * @param keyPassword the key's password; null for none
   * @param trust the certificates of the authorities that nodes' certificates come from; null for
   *     those of the JDK
   */
  public static TransportTlsOptions ofPem(
      @Nullable File certificate,
      @Nullable File key,
      @Nullable String keyPassword,
      @Nullable File trust,
      boolean verifyHostname)
      throws SSLException {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          "got "
              + (key == null ? "a certificate without its key" : "a key without its certificate")
              + " (expected: both or none)");
    }
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (certificate != null) {
      builder.keyManager(certificate, key, keyPassword);
    }
    if (trust != null) {
      builder.trustManager(trust);
    }
    SslContext built = builder.endpointIdentificationAlgorithm(null).build();
    return new TransportTlsOptions(() -> built, verifyHostname);
  }
}
