package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How one cluster is reached.
 *
 * @param transportTls of the transport connections that coordination takes
 * @param restTls of the connections to nodes' REST ports that other requests pass through
 * @param restConnections how many of these
 */
public record ClusterPolicy(
    @ConfigKey(
            doc =
                "Transport addresses of some of its nodes; the first one that answers tells the"
                    + " rest.",
            min = "1",
            max = "64")
        List<HostPort> seeds,
    @ConfigKey(
            value = "auto",
            doc =
                "Compression of transport; auto: except to loopback, link-local and private"
                    + " addresses.")
        Compression compression,
    @ConfigKey(
            value = "2s",
            min = "10ms",
            max = "5m",
            doc = "How long a connection may take to open.")
        Duration connectTimeout,
    @ConfigKey(
            value = "1s",
            min = "50ms",
            max = "1m",
            doc = "How often a node is asked whether the cluster state changed.")
        Duration statePollInterval,
    @ConfigKey(
            value = "nodes",
            doc =
                "Who checks what a client may do. nodes: with transport-tls or the security plugin"
                    + " every request passes through to a node, which checks it; none: every client"
                    + " may do what the gateway's own certificate may.")
        Authorization authorization,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Indices that are called otherwise in this cluster, by the names that clients say,"
                    + " such as {\"logs-*\": \"logs-v2-*\"}; the first that matches counts. Answers"
                    + " have the cluster's names.")
        Map<String, String> indexRenames,
    TlsClientPolicy transportTls,
    TlsClientPolicy restTls,
    RestConnectionsPolicy restConnections) {

  /** Who checks what a client may do. */
  public enum Authorization {
    /** The nodes. */
    NODES,
    /** Nobody. */
    NONE
  }

  /** When transport is compressed. */
  public enum Compression {
    /** Never. */
    OFF,
    /** Always. */
    ON,
    /** Except to loopback, link-local and private addresses. */
    AUTO
  }
}
