package dev.weir.config.policy;

import java.util.Locale;

/** The format of a certificate file, which its name shows. */
public enum CertificateFormat {
  PEM,
  /** Contains the key beside its certificates. */
  PKCS12;

  /** Returns the format of a file by its name. */
  public static CertificateFormat of(String file) {
    String name = file.toLowerCase(Locale.ROOT);
    return name.endsWith(".p12") || name.endsWith(".pfx") ? PKCS12 : PEM;
  }
}
