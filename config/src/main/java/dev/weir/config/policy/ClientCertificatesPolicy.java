package dev.weir.config.policy;

/**
 * Certificates of clients.
 *
 * <p>The gateway verifies them while it opens the connection. A node sees the gateway's connection,
 * so the gateway tells it the user in a header, for the node's proxy authentication.
 */
public record ClientCertificatesPolicy(
    @ConfigKey(
            value = "none",
            doc =
                "Whether clients present a certificate when http.tls is on. none: the gateway asks"
                    + " for none. optional: it verifies one that a client presents. required: it"
                    + " refuses connections without one.")
        ClientCertificateMode mode,
    @ConfigKey(
            value = "",
            doc =
                "PEM or PKCS#12 file (.p12, .pfx) with the certificate authorities of clients."
                    + " A changed file applies to new connections while the gateway runs.")
        String caFile,
    @ConfigKey(value = "", secret = true, doc = "Password of ca-file, if that is a PKCS#12 file.")
        String caPassword,
    @ConfigKey(
            value = "",
            doc =
                "The attribute of the certificate's subject that names the user, such as cn; dn"
                    + " for the whole subject. Nodes receive it in user-header, from clients that"
                    + " are not trusted proxies. Empty: nodes learn nothing of the certificate.")
        String userAttribute,
    @ConfigKey(
            value = "",
            doc =
                "The attribute of the certificate's subject that names the user's roles, such as"
                    + " ou. Nodes receive all values in roles-header. Empty: no roles.")
        String rolesAttribute,
    @ConfigKey(
            value = "x-proxy-user",
            doc = "The header for the user, like user_header of the nodes' proxy authentication.")
        String userHeader,
    @ConfigKey(
            value = "x-proxy-roles",
            doc = "The header for the roles, like roles_header of the nodes' proxy authentication.")
        String rolesHeader) {

  /** Whether clients present certificates. */
  public enum ClientCertificateMode {
    /** The gateway asks for none. */
    NONE,
    /** A client may present one. */
    OPTIONAL,
    /** A client must present one. */
    REQUIRED
  }

  /** Returns whether nodes learn the user of a certificate. */
  public boolean isPassedOn() {
    return mode != ClientCertificateMode.NONE && !userAttribute.isEmpty();
  }
}
