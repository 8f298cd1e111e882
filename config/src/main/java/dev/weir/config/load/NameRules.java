package dev.weir.config.load;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The permitted forms of names in the configuration. */
final class NameRules {
  /** A name that the operator chooses, for example of a cluster. */
  static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  static final String PLAIN_DESCRIPTION = "1 to 64 letters, digits, '.', '_' or '-'";

  /** A header's name, by RFC 9110 (5.1). */
  static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");

  /** A host name, without a port. */
  static final Pattern HOST = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})");

  /** The form of a network in CIDR notation. */
  private static final Pattern NETWORK = Pattern.compile("([0-9A-Fa-f.:]{2,45})/(\\d{1,3})");

  /** The known HTTP methods. */
  static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT");

  /** Headers that frame, address or authenticate a message; the gateway never drops them. */
  private static final Set<String> FRAMING_HEADERS =
      Set.of(
          "host",
          "connection",
          "content-length",
          "content-type",
          "content-encoding",
          "transfer-encoding",
          "expect",
          "upgrade",
          "te",
          "trailer",
          "accept",
          "accept-encoding",
          "authorization");

  private NameRules() {}

  static boolean isFramingHeader(String name) {
    return FRAMING_HEADERS.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Returns whether a text is the URL of an HTTP server. */
  static boolean isHttpUrl(String text) {
    try {
      URI uri = new URI(text);
      return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Returns whether a text is a network in CIDR notation. */
  static boolean isNetwork(String text) {
    Matcher parts = NETWORK.matcher(text);
    if (!parts.matches()) {
      return false;
    }
    try {
      int addressBits = InetAddress.ofLiteral(parts.group(1)).getAddress().length * Byte.SIZE;
      return Integer.parseInt(parts.group(2)) <= addressBits;
    } catch (IllegalArgumentException noAddress) {
      return false;
    }
  }

  /** Returns whether a text is an IP address, or a network in CIDR notation. */
  static boolean isAddressOrNetwork(String text) {
    return text.indexOf('/') < 0 ? isNetwork(text + "/0") : isNetwork(text);
  }
}
