package dev.weir.config.policy;

/**
 * How connections from clients are encrypted.
 *
 * <p>Files are in PEM format; a relative name starts at the working directory.
 */
public record TlsServerPolicy(
    @ConfigKey(value = "false", doc = "Whether clients speak HTTPS.") boolean enabled,
    @ConfigKey(value = "", doc = "File with the certificate chain shown to clients.")
        String certificateFile,
    @ConfigKey(value = "", doc = "File with the certificate's PKCS#8 key.") String keyFile,
    @ConfigKey(value = "", secret = true, doc = "The key's password; empty: it has none.")
        String keyPassword) {}
