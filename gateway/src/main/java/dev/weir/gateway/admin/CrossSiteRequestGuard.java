package dev.weir.gateway.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that a page of another site makes a browser send. Browsers state the origin of a
 * request that changes state ({@code Origin}, {@code Sec-Fetch-Site}), and pages can't alter that;
 * tools such as curl send neither header and are admitted. A browser's request must meet two
 * conditions:
 *
 * <ul>
 *   <li>Its origin is this address. {@link HostNames} has checked the name of the address.
 *   <li>It has the header {@value #PAGE}, which a page of another site may not send.
 * </ul>
 */
final class CrossSiteRequestGuard {
  /** The header that the gateway's own page sends with each change of state. */
  static final String PAGE = "X-Weir-Admin-Page";

  private static final String SITE = "Sec-Fetch-Site";
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private CrossSiteRequestGuard() {}

  /** Why a request that changes state is rejected; null when it is admitted. */
  static @Nullable String findViolation(HttpHeaders headers) {
    String origin = headers.get(HttpHeaderNames.ORIGIN);
    String site = headers.get(SITE);
    if (origin == null && site == null) {
      return null; // not a browser
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
    } catch (IllegalArgumentException invalid) {
      return null;
    }
  }
}
