package dev.weir.config.policy;

/**
 * How connections to nodes are encrypted.
 *
 * <p>Files are in PEM format; an empty name means none, a relative one starts at the working
 * directory.
 */
public record TlsClientPolicy(
    @ConfigKey(value = "false", doc = "Whether the connections are encrypted with TLS.")
        boolean enabled,
    @ConfigKey(
            value = "",
            doc =
                "PEM file with the gateway's certificate chain, for nodes that demand a client"
                    + " certificate. Empty: the gateway presents none.")
        String certificateFile,
    @ConfigKey(value = "", doc = "PEM file with the private key of that certificate, in PKCS#8.")
        String keyFile,
    @ConfigKey(
            value = "",
            secret = true,
            doc = "Password of the private key. Empty: the key is not encrypted.")
        String keyPassword,
    @ConfigKey(
            value = "",
            doc = "PEM file with the certificate authorities to trust. Empty: those of the JDK.")
        String caFile,
    @ConfigKey(
            value = "true",
            doc = "Whether the node's certificate must name the host that the gateway connects to.")
        boolean verifyHostname) {}
