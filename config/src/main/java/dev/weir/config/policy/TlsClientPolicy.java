package dev.weir.config.policy;

/**
 * How connections to nodes are encrypted.
 *
 * <p>Files are in PEM format; an empty name means none, a relative one starts at the working
 * directory.
 */
public record TlsClientPolicy(
    @Setting(value = "false", doc = "Whether connections are encrypted.") boolean enabled,
    @Setting(value = "", doc = "File with the gateway's certificate chain; empty: none is shown.")
        String certificate,
    @Setting(value = "", doc = "File with the certificate's PKCS#8 key.") String key,
    @Setting(value = "", secret = true, doc = "The key's password; empty: it has none.")
        String keyPassword,
    @Setting(value = "", doc = "File with the authorities to trust; empty: those of the JDK.")
        String trust,
    @Setting(value = "true", doc = "Whether a certificate must name the host connected to.")
        boolean verifyHostname) {}
