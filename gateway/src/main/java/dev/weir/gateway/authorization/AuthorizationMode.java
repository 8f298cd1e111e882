package dev.weir.gateway.authorization;

import java.util.Locale;

/** Who checks a client's permissions on a cluster. */
public enum AuthorizationMode {
  /** A node: each request passes through whole, with the client's own credentials. */
  DELEGATE,
  /** The gateway, which asks a node once and coordinates what the node permits. */
  GATEWAY,
  /** Nobody: the gateway coordinates with its own identity. */
  NONE;

  /** Returns the name in the configuration, in {@code /stats} and in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
