package dev.weir.config.policy;

/**
 * How connections from clients are encrypted.
 *
 * <p>Files are in PEM format; a relative name starts at the working directory.
 */
public record TlsServerPolicy(
    @ConfigKey(value = "false", doc = "Whether clients must use HTTPS.") boolean enabled,
    @ConfigKey(value = "", doc = "PEM file with the certificate chain that clients see.")
        String certificateFile,
    @ConfigKey(value = "", doc = "PEM file with the private key of that certificate, in PKCS#8.")
        String keyFile,
    @ConfigKey(
            value = "",
            secret = true,
            doc = "Password of the private key. Empty: the key is not encrypted.")
        String keyPassword) {}
