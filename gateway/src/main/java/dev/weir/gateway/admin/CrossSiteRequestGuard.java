package dev.weir.gateway.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a page of another site made a browser send from what an operator sent. A browser says
 * where a request that does something comes from ({@code Origin}, {@code Sec-Fetch-Site}), and no
 * page can change that; tools such as curl say neither, and are let in. A page must come from this
 * very address, show the header {@value #PAGE}, which a page of another site could not send without
 * being allowed to, and must have been opened by an address or a name that is nobody else's: a
 * foreign name may lead here, and its pages would seem to be of the same origin.
 */
final class CrossSiteRequestGuard {
  /** What the gateway's own page sends with all that does something. */
  static final String PAGE = "X-Weir-Admin-Page";

  private static final String SITE = "Sec-Fetch-Site";
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private CrossSiteRequestGuard() {}

  /** Why a request that does something is not carried out; null when nothing is wrong with it. */
  static @Nullable String findViolation(HttpHeaders headers) {
    String origin = headers.get(HttpHeaderNames.ORIGIN);
    String site = headers.get(SITE);
    if (origin == null && site == null) {
      return null; // no browser
    }
    if (site != null && !OWN_SITES.contains(site)) {
      return describe(SITE + ": " + site, "same-origin");
    }
    if (origin != null) {
      String host = headers.get(HttpHeaderNames.HOST, "");
      URI from = parseOrigin(origin);
      if (from == null || !host.equalsIgnoreCase(from.getRawAuthority())) {
        return describe("Origin: " + origin, "this gateway's own, by the name in Host: " + host);
      }
      if (!isLoopbackOrAddress(from.getHost())) {
        return describe(
            "a page opened as " + host,
            "by address, as localhost, or by this machine's own name; or a tool such as curl");
      }
    }
    return headers.contains(PAGE) ? null : describe("no header " + PAGE, "one, from a page");
  }

  private static String describe(String got, String expected) {
    return "got " + got + " (expected: " + expected + ")\n";
  }

  private static @Nullable URI parseOrigin(String origin) {
    try {
      URI uri = URI.create(origin);
      return uri.getHost() == null ? null : uri;
    } catch (IllegalArgumentException notOne) {
      return null;
    }
  }

  /** Whether nobody else can make a name lead here. */
  private static boolean isLoopbackOrAddress(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    boolean literal =
        name.startsWith("[")
            || NetUtil.isValidIpV4Address(name)
            || NetUtil.isValidIpV6Address(name);
    // a name without a dot belongs to no zone that a stranger could own
    return literal
        || !name.contains(".")
        || name.endsWith(".localhost")
        || name.equals(localHostName());
  }

  private static String localHostName() {
    try {
      return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
    } catch (UnknownHostException nameless) {
      return "";
    }
  }
}
