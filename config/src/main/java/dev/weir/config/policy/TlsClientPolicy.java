package dev.weir.config.policy;

/**
 * How connections to nodes are encrypted.
 *
 * <p>Files are in PEM format, or PKCS#12 if their names end in .p12 or .pfx; an empty name means
 * none, a relative one starts at the working directory. Changed files apply to new connections
 * while the gateway runs.
 */
public record TlsClientPolicy(
    @ConfigKey(value = "false", doc = "Whether the connections are encrypted with TLS.")
        boolean enabled,
    @ConfigKey(
            value = "",
            doc =
                "PEM file with the gateway's certificate chain, or a PKCS#12 file (.p12, .pfx) with"
                    + " chain and private key, for nodes that demand a client certificate. Empty:"
                    + " the gateway presents none. A changed file applies to new connections while"
                    + " the gateway runs.")
        String certificateFile,
    @ConfigKey(
            value = "",
            doc =
                "PEM file with the private key of that certificate, in PKCS#8. Empty for PKCS#12.")
        String keyFile,
    @ConfigKey(
            value = "",
            secret = true,
            doc =
                "Password of the private key, or of the PKCS#12 file. Empty: the key is not"
                    + " encrypted.")
        String keyPassword,
    @ConfigKey(
            value = "",
            doc =
                "PEM or PKCS#12 file (.p12, .pfx) with the certificate authorities to trust. Empty:"
                    + " those of the JDK, which are all public ones. A changed file applies to new"
                    + " connections while the gateway runs.")
        String caFile,
    @ConfigKey(value = "", secret = true, doc = "Password of ca-file, if that is a PKCS#12 file.")
        String caPassword,
    @ConfigKey(
            value = "true",
            doc = "Whether the node's certificate must name the host that the gateway connects to.")
        boolean verifyHostname) {}
