package dev.weir.config.load;

import java.util.List;
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

  /** A network in CIDR notation; the loader checks its numbers. */
  static final Pattern NETWORK = Pattern.compile("([0-9A-Fa-f.:]{2,45})/(\\d{1,3})");

  /** The known HTTP methods. */
  static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT");

  private NameRules() {}
}
