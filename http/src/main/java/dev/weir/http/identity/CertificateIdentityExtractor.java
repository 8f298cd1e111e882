package dev.weir.http.identity;

import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a user and roles from the subject of a client's certificate. Nodes can't see the
 * certificate, because the connection to them is the gateway's; their proxy authentication reads
 * the headers instead.
 *
 * @param userAttribute of the subject, such as {@code cn}; {@link #WHOLE_SUBJECT} for all of it
 * @param rolesAttribute of the subject, such as {@code ou}; empty for no roles
 * @param userHeader the header for the user
 * @param rolesHeader the header for the roles
 */
public record CertificateIdentityExtractor(
    String userAttribute, String rolesAttribute, String userHeader, String rolesHeader) {
  /** Makes the whole subject the user's name, in the notation of RFC 2253. */
  public static final String WHOLE_SUBJECT = "dn";

  static final AsciiString USER_HEADER = AsciiString.cached("x-proxy-user");
  static final AsciiString ROLES_HEADER = AsciiString.cached("x-proxy-roles");

  private static final Logger LOG = LoggerFactory.getLogger(CertificateIdentityExtractor.class);

  /** Attributes that RFC 2253 has no name for. */
  private static final Map<String, String> NAMES =
      Map.of("1.2.840.113549.1.9.1", "emailAddress", "2.5.4.5", "serialNumber");

  boolean isOwnHeader(CharSequence name) {
    return AsciiString.contentEqualsIgnoreCase(userHeader, name)
        || AsciiString.contentEqualsIgnoreCase(rolesHeader, name);
  }

  /** Returns the identity; null when the subject names no user that a header can carry. */
  @Nullable CertificateIdentity extract(X500Principal principal) {
    String subject = principal.getName(X500Principal.RFC2253, NAMES);
    try {
      List<Rdn> parts = new LdapName(subject).getRdns();
      String user =
          userAttribute.equalsIgnoreCase(WHOLE_SUBJECT)
              ? subject
              : values(parts, userAttribute).stream().findFirst().orElse("");
      if (!isPlain(user)) {
        LOG.debug("the certificate of {} names no user in {}", subject, userAttribute);
        return null;
      }
      List<String> roles =
          values(parts, rolesAttribute).stream()
              .filter(role -> isPlain(role) && role.indexOf(',') < 0)
              .toList();
      return new CertificateIdentity(
          userHeader, user, rolesHeader, roles.isEmpty() ? null : String.join(",", roles));
    } catch (NamingException e) {
      LOG.debug("the subject {} of a certificate is not an X.500 name", subject, e);
      return null;
    }
  }

  /** Returns the values of an attribute, the most specific first. */
  private static List<String> values(List<Rdn> parts, String name) throws NamingException {
    List<String> values = new ArrayList<>();
    for (Rdn part : parts.reversed()) {
      Attribute attribute = name.isEmpty() ? null : part.toAttributes().get(name);
      if (attribute != null) {
        NamingEnumeration<?> all = attribute.getAll();
        while (all.hasMore()) {
          if (all.next() instanceof String value) {
            values.add(value);
          }
        }
      }
    }
    return values;
  }

  /**
   * Returns whether a header carries the text unchanged. Other characters would be replaced, and
   * spaces at the ends removed, so that two users would look the same.
   */
  private static boolean isPlain(String text) {
    return !text.isEmpty()
        && text.equals(text.strip())
        && text.chars().allMatch(c -> c >= ' ' && c < 0x7f);
  }
}
