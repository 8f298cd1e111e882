package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How the gateway reaches one cluster.
 *
 * @param transportTls TLS of transport connections, for coordinated requests
 * @param restTls TLS of connections to nodes' REST ports, for requests that pass through
 * @param restConnections bounds of these connections
 */
public record ClusterPolicy(
    @ConfigKey(
            doc =
                "Transport addresses (host:9300) of some nodes. The gateway asks the first one that"
                    + " answers for all the others.",
            min = "1",
            max = "64")
        List<HostPort> seeds,
    @ConfigKey(
            value = "auto",
            doc =
                "Compression of the transport connections. on: by zstd with nodes whose plugin"
                    + " reads it, by DEFLATE with the others. auto: on, except to loopback,"
                    + " link-local and private addresses. deflate: on, by DEFLATE with all nodes.")
        Compression compression,
    @ConfigKey(
            value = "2s",
            min = "10ms",
            max = "5m",
            doc = "How long opening a connection to a node may take.")
        Duration connectTimeout,
    @ConfigKey(
            value = "1s",
            min = "50ms",
            max = "1m",
            doc = "How often the gateway asks a node whether the cluster state changed.")
        Duration statePollInterval,
    @ConfigKey(
            value = "detect",
            doc =
                "Who checks a client's permissions. delegate: a node; every request passes through"
                    + " to it with the client's credentials. gateway: the gateway, which asks a"
                    + " node once and coordinates what the node permits. none: nobody; every client"
                    + " may do what the gateway's own certificate may. detect: delegate where a"
                    + " node asks for credentials, and none where all nodes do without. Without"
                    + " transport-tls, a gateway that other machines can reach needs one of the"
                    + " first three.")
        Authorization authorization,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Names of plugins of the nodes, as GET _cat/plugins shows them, that neither check"
                    + " nor change REST requests. With authorization detect, a plugin that is"
                    + " neither listed here nor known to the gateway may filter requests, so every"
                    + " request passes through.")
        List<String> pluginsWithoutFilters,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Indices that have another name in this cluster: from the name that clients use to"
                    + " the cluster's name, such as {\"logs-*\": \"logs-v2-*\"}. The first pattern"
                    + " that matches applies. Responses contain the cluster's names.")
        Map<String, String> indexRenames,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Networks, such as 10.1.0.0/16, in which the REST addresses of the nodes may lie."
                    + " Always allowed: the host of a node's transport address, and its network"
                    + " (/24 of IPv4, /64 of IPv6). Clients' requests and credentials go to no"
                    + " other address, whatever a node reports.")
        List<String> restNetworks,
    @ConfigKey(
            value = "false",
            doc =
                "Whether rest-tls may have a certificate although the nodes check clients'"
                    + " permissions. The gateway presents that certificate with the requests of all"
                    + " clients, so a node that maps it to a user gives every client this user's"
                    + " permissions. Set it if nodes demand a certificate and map this one to no"
                    + " user.")
        boolean sharedRestCertificateAllowed,
    TlsClientPolicy transportTls,
    TlsClientPolicy restTls,
    RestConnectionsPolicy restConnections) {

  /** Who checks a client's permissions. */
  public enum Authorization {
    /** A node where nodes ask for credentials, otherwise nobody. */
    DETECT,
    /** A node, with the client's own credentials. */
    DELEGATE,
    /** The gateway, by what a node permits. */
    GATEWAY,
    /** Nobody: every client may do everything. */
    NONE
  }

  /** When transport messages are compressed. */
  public enum Compression {
    /** Never. */
    OFF,
    /** Always. */
    ON,
    /** Except to loopback, link-local and private addresses. */
    AUTO,
    /** Always, and never by zstd. */
    DEFLATE
  }

  /** Returns the same settings with another authorization. */
  public ClusterPolicy withAuthorization(Authorization another) {
    return new ClusterPolicy(
        seeds,
        compression,
        connectTimeout,
        statePollInterval,
        another,
        pluginsWithoutFilters,
        indexRenames,
        restNetworks,
        sharedRestCertificateAllowed,
        transportTls,
        restTls,
        restConnections);
  }
}
