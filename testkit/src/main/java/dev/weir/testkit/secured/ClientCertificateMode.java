package dev.weir.testkit.secured;

/** What the REST ports of the nodes want of a client's certificate. */
public enum ClientCertificateMode {
  /** A client may show one. */
  OPTIONAL,
  /** A connection without one is refused. */
  REQUIRE
}
