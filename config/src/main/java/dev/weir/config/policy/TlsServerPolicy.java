package dev.weir.config.policy;

/**
 * How connections from clients are encrypted.
 *
 * <p>Files are in PEM format, or PKCS#12 if their names end in .p12 or .pfx; a relative name starts
 * at the working directory. Changed files apply to new connections while the gateway runs.
 */
public record TlsServerPolicy(
    @ConfigKey(value = "false", doc = "Whether clients must use HTTPS.") boolean enabled,
    @ConfigKey(
            value = "",
            doc =
                "PEM file with the certificate chain that clients see, or a PKCS#12 file (.p12,"
                    + " .pfx) with chain and private key. A changed file applies to new"
                    + " connections while the gateway runs.")
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
        String keyPassword) {}
