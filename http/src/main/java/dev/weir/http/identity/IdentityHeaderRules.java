package dev.weir.http.identity;

import dev.weir.model.IpNetworks;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which headers tell a node who a client is and where it connects from, and from whom the gateway
 * accepts them. A node that has the gateway among its own trusted proxies believes these headers,
 * so only a trusted proxy may set them. Immutable.
 */
public final class IdentityHeaderRules {
  /** Trusts no proxy, and passes no certificate on. */
  public static final IdentityHeaderRules STANDARD =
      new IdentityHeaderRules(IpNetworks.NONE, List.of(), null);

  private final IpNetworks trustedProxies;
  private final List<AsciiString> furtherNames;
  private final @Nullable CertificateIdentityExtractor certificates;

  /**
   * Creates rules.
   *
   * @param trustedProxies the networks of proxies that may set the headers
   * @param furtherNames of headers with which nodes are configured to identify users or addresses,
   *     in addition to the usual ones
   * @param certificates derives headers from a client's certificate; null where none is passed on
   */
  public IdentityHeaderRules(
      IpNetworks trustedProxies,
      List<String> furtherNames,
      @Nullable CertificateIdentityExtractor certificates) {
    this.trustedProxies = trustedProxies;
    this.furtherNames = furtherNames.stream().map(AsciiString::new).toList();
    this.certificates = certificates;
  }

  /** Returns whether an address belongs to a trusted proxy. */
  public boolean isTrusted(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress inet && trustedProxies.contains(inet.getAddress());
  }

  /** Returns whether a header tells a node who a client is, or where it connects from. */
  boolean isIdentity(CharSequence name) {
    if (name.length() > 8) {
      switch (name.charAt(0)) {
        case 'x', 'X' -> {
          if (isUsualIdentity(name)) {
            return true;
          }
        }
        case 'f', 'F' -> {
          if (ForwardedForAppender.FORWARDED.contentEqualsIgnoreCase(name)) {
            return true;
          }
        }
        default -> {
          // further names follow
        }
      }
    }
    return isFurtherIdentity(name);
  }

  /** The names that the security plugin's documentation uses for its proxy authentication. */
  private static boolean isUsualIdentity(CharSequence name) {
    return ForwardedForAppender.FORWARDED_FOR.contentEqualsIgnoreCase(name)
        || CertificateIdentityExtractor.USER_HEADER.contentEqualsIgnoreCase(name)
        || CertificateIdentityExtractor.ROLES_HEADER.contentEqualsIgnoreCase(name)
        || NodeInternalHeaders.startsWith(name, "x-proxy-ext-");
  }

  private boolean isFurtherIdentity(CharSequence name) {
    for (AsciiString further : furtherNames) {
      if (further.contentEqualsIgnoreCase(name)) {
        return true;
      }
    }
    return certificates != null && certificates.isOwnHeader(name);
  }

  /**
   * Returns the filter of a connection's requests.
   *
   * @param address of the client
   * @param certificate that the client has proven to be its own; null for none
   */
  public IdentityHeaderFilter filterFor(
      @Nullable SocketAddress address, @Nullable X509Certificate certificate) {
    boolean trusted = isTrusted(address);
    CertificateIdentity identity =
        trusted || certificate == null || certificates == null
            ? null
            : certificates.extract(certificate.getSubjectX500Principal());
    return new IdentityHeaderFilter(this, trusted, identity);
  }

  /** Returns whether a client's certificate is passed on. */
  public boolean usesCertificates() {
    return certificates != null;
  }
}
