package dev.weir.http.options;

import dev.weir.http.identity.IdentityHeaderRules;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the server encrypts connections, and what it believes about clients.
 *
 * @param tls null for plain HTTP; else returns the context for the next handshake, which offers
 *     {@code h2} and {@code http/1.1} by ALPN. Called on event loops
 * @param identity which headers about a client's identity the server accepts
 * @param proxyProtocol whether connections of trusted proxies begin with the header of the PROXY
 *     protocol
 */
public record HttpSecurity(
    @Nullable Supplier<SslContext> tls, IdentityHeaderRules identity, boolean proxyProtocol) {
  /** Plain HTTP, without trusted proxies. */
  public static final HttpSecurity PLAIN = new HttpSecurity(null, IdentityHeaderRules.STANDARD);

  /** Creates options without the PROXY protocol. */
  public HttpSecurity(@Nullable Supplier<SslContext> tls, IdentityHeaderRules identity) {
    this(tls, identity, false);
  }

  /** Returns the context for the next handshake; null for plain HTTP. */
  public @Nullable SslContext currentTls() {
    return tls == null ? null : tls.get();
  }
}
