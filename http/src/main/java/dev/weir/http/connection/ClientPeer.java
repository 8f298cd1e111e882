package dev.weir.http.connection;

import dev.weir.http.identity.IdentityHeaderFilter;
import dev.weir.http.identity.IdentityHeaderRules;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The client at the other end of a connection: its address, and which headers of its requests the
 * gateway believes. All HTTP/2 streams of a connection share one. Confined to the connection's
 * event loop.
 */
public final class ClientPeer {
  private static final AttributeKey<ClientPeer> KEY =
      AttributeKey.valueOf(ClientPeer.class, "peer");

  /** The address that a proxy has named for the connection. */
  private static final AttributeKey<SocketAddress> NAMED_ADDRESS =
      AttributeKey.valueOf(ClientPeer.class, "address");

  private final SocketAddress address;
  private final ClientNetwork network;
  private final IdentityHeaderFilter headers;
  private @Nullable String text;

  private ClientPeer(SocketAddress address, IdentityHeaderFilter headers) {
    this.address = address;
    this.network = ClientNetwork.of(address);
    this.headers = headers;
  }

  /**
   * Returns whose share of the connections a connection or a stream uses: that of the address that
   * it comes from, or that its proxy has named. Fixes nothing: a proxy may name another address
   * later.
   */
  public static ClientNetwork networkOf(Channel channel) {
    Channel connection = connectionOf(channel);
    ClientPeer known = connection.attr(KEY).get();
    return known == null ? ClientNetwork.of(addressOf(connection)) : known.network;
  }

  private static Channel connectionOf(Channel channel) {
    return channel instanceof Http2StreamChannel ? channel.parent() : channel;
  }

  private static SocketAddress addressOf(Channel connection) {
    SocketAddress named = connection.attr(NAMED_ADDRESS).get();
    return named == null ? connection.remoteAddress() : named;
  }

  /**
   * Sets the address for which a trusted proxy opened a connection; call before its requests.
   * Forgets what the proxy's own address told about it.
   */
  public static void setAddress(Channel connection, SocketAddress address) {
    connection.attr(NAMED_ADDRESS).set(address);
    connection.attr(KEY).set(null);
  }

  /**
   * Returns the client of a connection or a stream. Call after the TLS handshake and the header of
   * the PROXY protocol, because the client's certificate and its address are read once.
   */
  static ClientPeer of(Channel channel, IdentityHeaderRules rules) {
    Channel connection = connectionOf(channel);
    Attribute<ClientPeer> known = connection.attr(KEY);
    ClientPeer peer = known.get();
    if (peer == null) {
      SocketAddress address = addressOf(connection);
      X509Certificate certificate = rules.usesCertificates() ? certificateOf(connection) : null;
      peer = new ClientPeer(address, rules.filterFor(address, certificate));
      known.set(peer);
    }
    return peer;
  }

  /** Returns the certificate that the handshake verified; null for none. */
  private static @Nullable X509Certificate certificateOf(Channel connection) {
    SslHandler tls = connection.pipeline().get(SslHandler.class);
    if (tls == null) {
      return null;
    }
    try {
      Certificate[] chain = tls.engine().getSession().getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate own ? own : null;
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }

  /** Returns the address that the connection comes from, or that its proxy names. */
  public SocketAddress address() {
    return address;
  }

  /** Returns whose share of the connections the client uses. */
  public ClientNetwork network() {
    return network;
  }

  /** Returns what the gateway believes of a request's headers. */
  IdentityHeaderFilter headers() {
    return headers;
  }

  /** Returns the address as text. */
  String text() {
    String known = text;
    if (known == null) {
      known = ClientNetwork.textOf(address);
      text = known;
    }
    return known;
  }
}
