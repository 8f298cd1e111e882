package dev.weir.config.policy;

/**
 * How connections to nodes are encrypted.
 *
 * <p>Files are in PEM format; an empty name means none, a relative one starts at the working
 * directory.
 */
public record TlsClientPolicy(
    @ConfigKey(value = "false", doc = "Whether connections are encrypted.") boolean enabled,
    @ConfigKey(value = "", doc = "File with the gateway's certificate chain; empty: none is shown.")
        String certificateFile,
    @ConfigKey(value = "", doc = "File with the certificate's PKCS#8 key.") String keyFile,
    @ConfigKey(value = "", secret = true, doc = "The key's password; empty: it has none.")
        String keyPassword,
    @ConfigKey(value = "", doc = "File with the authorities to trust; empty: those of the JDK.")
        String caFile,
    @ConfigKey(value = "true", doc = "Whether a certificate must name the host connected to.")
        boolean verifyHostname) {}
