package dev.weir.http.identity;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds a client's address to the headers of a request to a node, as proxies do. */
public final class ForwardedForAppender {
  static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

  /** The standard's header (RFC 7239). */
  static final AsciiString FORWARDED = AsciiString.cached("forwarded");

  private static final String SEPARATOR = ", ";

  private ForwardedForAppender() {}

  /**
   * Appends the address to X-Forwarded-For, and to Forwarded if a proxy sent that. Changes nothing
   * where the list ends with it already: a request may be sent to several nodes in turn.
   */
  public static void append(HttpHeaders headers, @Nullable SocketAddress client) {
    InetAddress address = client instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (address == null) {
      return;
    }
    String text = NetUtil.toAddressString(address);
    append(headers, FORWARDED_FOR, text);
    if (headers.contains(FORWARDED)) {
      append(
          headers,
          FORWARDED,
          address instanceof Inet6Address ? "for=\"[" + text + "]\"" : "for=" + text);
    }
  }

  private static void append(HttpHeaders headers, AsciiString name, String element) {
    List<String> lines = headers.getAll(name);
    String before = lines.size() == 1 ? lines.getFirst() : String.join(SEPARATOR, lines);
    if (before.isEmpty()) {
      headers.set(name, element);
    } else if (lines.size() > 1 || !isLast(before, element)) {
      headers.set(name, isLast(before, element) ? before : before + SEPARATOR + element);
    }
  }

  private static boolean isLast(String list, String element) {
    return list.equals(element) || list.endsWith(SEPARATOR + element);
  }
}
