package dev.weir.config.policy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** The admin port, for operators and monitoring. */
public record AdminPolicy(
    @ConfigKey(
            value = "127.0.0.1:9250",
            doc =
                "Address and port of the admin API: health, metrics, statistics, the effective"
                    + " configuration, explanations and the web page. An address that other"
                    + " machines can reach requires credentials (token or client-ca-file) and tls.")
        HostPort listen,
    @Dynamic
        @ConfigKey(
            value = "",
            secret = true,
            doc =
                "Secret that operators send: as a bearer token, or as the password of HTTP Basic"
                    + " authentication with any user name, which the audit log then shows. At least"
                    + " 16 characters. Empty: the admin port asks for no token. Keep it in a file:"
                    + " ${file:/run/secrets/weir-admin-token}.")
        String token,
    @ConfigKey(
            value = "",
            doc =
                "PEM file with certificate authorities. A client certificate that one of them"
                    + " signed replaces the token. Empty: the admin port accepts no client"
                    + " certificates.")
        String clientCaFile,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Host names, without a port, by which browsers and tools may address the admin"
                    + " port. IP addresses, localhost and the machine's own name are always"
                    + " allowed. Other names are rejected, because a web site could let its name"
                    + " resolve to the gateway.")
        List<String> hostNames,
    @ConfigKey(
            value = "false",
            doc =
                "Whether listen may be reachable from other machines without tls: behind a proxy"
                    + " that encrypts, or in a container that publishes the port on loopback alone."
                    + " Credentials are still required.")
        boolean plaintextAllowed,
    TlsServerPolicy tls,
    @Dynamic
        @ConfigKey(
            value = "50",
            min = "0",
            max = "100",
            doc =
                "With several clusters: the least share of the requests, in percent by"
                    + " traffic.weights, whose clusters must be reachable for /readyz to answer"
                    + " 200. 100: every cluster with a weight. 0: one cluster is enough.")
        double minReachablePercent,
    @Dynamic
        @ConfigKey(
            value = "0s",
            min = "0s",
            max = "1h",
            doc =
                "How long the gateway still accepts new connections after it was told to stop,"
                    + " while /readyz already answers 503. Set it to the time that your load"
                    + " balancer needs to notice.")
        Duration drainDelay,
    @Dynamic
        @ConfigKey(
            value = "30s",
            min = "0s",
            max = "1h",
            doc =
                "How long the gateway waits, after the drain delay, for requests in flight to"
                    + " finish. It aborts those that take longer.")
        Duration drainTimeout) {

  /** Returns whether a caller must present a token or a client certificate. */
  public boolean requiresCredentials() {
    return !token.isEmpty() || !clientCaFile.isEmpty();
  }

  /** Returns the same with another token; "" for none. */
  AdminPolicy withToken(String another) {
    return new AdminPolicy(
        listen,
        another,
        clientCaFile,
        hostNames,
        plaintextAllowed,
        tls,
        minReachablePercent,
        drainDelay,
        drainTimeout);
  }

  /** Returns whether only this machine can reach an address. Resolves no names but localhost. */
  public static boolean isLoopback(HostPort address) {
    if (address.host().equalsIgnoreCase("localhost")) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(address.host()).isLoopbackAddress();
    } catch (IllegalArgumentException name) {
      return false;
    }
  }
}
