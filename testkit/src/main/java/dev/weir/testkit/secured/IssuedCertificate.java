package dev.weir.testkit.secured;

import java.nio.file.Path;

/**
 * A certificate with its private key, in the files that a configuration names.
 *
 * @param subject its distinguished name, such as {@code CN=gateway}
 * @param certificateFile the certificate and that of its authority, PEM
 * @param keyFile the private key, PEM, PKCS#8 without a password
 * @param keyStoreFile all of them, PKCS#12 with {@link CertificateAuthority#PASSWORD}
 */
public record IssuedCertificate(
    String subject, Path certificateFile, Path keyFile, Path keyStoreFile) {}
