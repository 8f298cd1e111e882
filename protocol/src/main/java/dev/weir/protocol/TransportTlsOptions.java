package dev.weir.protocol;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of channels to nodes.
 *
 * @param context provides the client's key, certificate and trusted authorities; called for each
 *     connection, on an event loop, so that they may change while the gateway runs
 * @param verifyHostname a node's certificate must contain the host name of the connection
 */
public record TransportTlsOptions(Supplier<SslContext> context, boolean verifyHostname) {
  /**
   * Reads PEM files now.
   *
   * @param certificate the client's certificate chain; null for none
   * @param key the client's PKCS#8 key; null for none
   * @param keyPassword the key's password; null for none
   * @param trust the certificates of trusted authorities; null for those of the JDK
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
